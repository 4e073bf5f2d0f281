import { expect, test } from "vitest";
import type { Setting } from "../../../conf/setting.ts";
import { testHost } from "../../../host/test-host.ts";
import { planMounts } from "../../../plan/mounts.ts";
import { openMounts } from "./open-mounts.ts";

/** Modes of directories after a user prepared mounts. */
function modesAfter(mounts: readonly string[], uid: number) {
  const host = testHost({ user: { uid }, files: { "/w/a/x": "", "/w/b/x": "", "/w/f": "" } });
  for (const path of ["/w/a", "/w/b"]) host.files.changeMode(path, 0o755);
  const facts = { locate: (path: string) => `/w/${path}`, isEmbedded: true, roles: ["driver", "executor"] } as const;
  const settings = new Map(planMounts(mounts, facts).added.map((setting): [string, Setting] => [setting.key, setting]));
  const logged: string[] = [];
  openMounts({ host, log: (_level, _logger, text) => logged.push(text), read: { settings } });
  return { modes: ["/w/a", "/w/b", "/w/f"].map((path) => host.files.info(path)?.mode.toString(8)), logged };
}

test("gives pods of root access to directories that they write into", () => {
  const { modes, logged } = modesAfter(["a:/a", "b:/b:ro", "f:/f", "none:/none"], 0);
  expect(modes).toEqual(["775", "755", "644"]);
  expect(logged).toEqual(["The group of /w/a can write into it now: pods run as user 185 with group 0"]);
  expect(modesAfter([], 0).modes).toEqual(["755", "755", "644"]);
});

test("changes no directory of another user, whose pods run as this user", () => {
  expect(modesAfter(["a:/a"], 1000)).toEqual({ modes: ["755", "755", "644"], logged: [] });
});
