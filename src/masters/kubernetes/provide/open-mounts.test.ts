import { expect, test } from "vitest";
import type { Setting } from "../../../conf/setting.ts";
import { testHost } from "../../../host/test-host.ts";
import { planMounts } from "../../../plan/mounts.ts";
import { openMounts } from "./open-mounts.ts";

interface Machine {
  /** User who submits. */
  readonly uid: number;
  /** Owner and group of the directory a. @default root */
  readonly owner?: readonly [uid: number, gid: number];
  readonly isReadOnly?: boolean;
}

/** Modes of directories after a user prepared mounts. */
function modesAfter(mounts: readonly string[], { uid, owner = [0, 0], isReadOnly = false }: Machine) {
  const machine = testHost({ user: { uid }, files: { "/w/a/x": "", "/w/b/x": "", "/w/f": "" } });
  const changeMode = (path: string) => {
    throw new Error(`EROFS: read-only file system, chmod '${path}'`);
  };
  const host = isReadOnly ? { ...machine, files: { ...machine.files, changeMode } } : machine;
  machine.files.changeOwner("/w/a", ...owner);
  for (const path of ["/w/a", "/w/b"]) machine.files.changeMode(path, 0o755);
  const facts = { locate: (path: string) => `/w/${path}`, isEmbedded: true, roles: ["driver", "executor"] } as const;
  const settings = new Map(planMounts(mounts, facts).added.map((setting): [string, Setting] => [setting.key, setting]));
  const logged: string[] = [];
  openMounts({ host, log: (level, _logger, text) => logged.push(`${level} ${text}`), read: { settings } });
  return { modes: ["/w/a", "/w/b", "/w/f"].map((path) => host.files.info(path)?.mode.toString(8)), logged };
}

test("gives pods of root access to directories that they write into", () => {
  const { modes, logged } = modesAfter(["a:/a", "b:/b:ro", "f:/f", "none:/none"], { uid: 0 });
  expect(modes).toEqual(["775", "755", "644"]);
  expect(logged).toEqual(["INFO The group of /w/a can write into it now: pods run as user 185 with group 0"]);
  expect(modesAfter([], { uid: 0 }).modes).toEqual(["755", "755", "644"]);
});

test("changes no directory of another user, whose pods run as this user", () => {
  expect(modesAfter(["a:/a"], { uid: 1000 })).toEqual({ modes: ["755", "755", "644"], logged: [] });
});

test("gives no group but 0 access, and warns instead", () => {
  const warning = "WARN Pods run as user 185 with group 0, which cannot write into /w/a: its group is 1000.";
  expect(modesAfter(["a:/a"], { uid: 0, owner: [1000, 1000] })).toEqual({
    modes: ["755", "755", "644"],
    logged: [`${warning} Run: chgrp 0 /w/a && chmod g+rwx /w/a`],
  });
});

test("a directory of the images' user needs no other group", () => {
  expect(modesAfter(["a:/a"], { uid: 0, owner: [185, 1000] })).toEqual({ modes: ["755", "755", "644"], logged: [] });
});

test("warns of a directory whose permissions cannot change", () => {
  const { modes, logged } = modesAfter(["a:/a"], { uid: 0, isReadOnly: true });
  expect(modes).toEqual(["755", "755", "644"]);
  expect(logged).toEqual([expect.stringMatching(/^WARN .* into \/w\/a: EROFS: .* Run: chmod g\+rwx \/w\/a$/)]);
});
