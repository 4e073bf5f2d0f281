import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleServer, serve } from "./file-server.ts";
import { localize, reasonOf } from "./localize.ts";
import { bundleContents, bundleSource } from "./localize-sources.ts";
import { start, temporaryDirectory } from "./programs.ts";

test.each<[string, string, string]>([
  ["is not JSON", "no", "it is not JSON"],
  ["has unknown keys", '{"directory":"/d","sources":[],"sourcse":[]}', "sourcse is unknown"],
  [
    "names no secret file that exists",
    JSON.stringify({ directory: "/d", sources: [bundleSource("http://h", "/no/such/token")] }),
    "sources[0].tokenFile /no/such/token: it does not exist",
  ],
  [
    "names no directory",
    '{"directory":"/no/such/directory","sources":[]}',
    "directory: /no/such/directory is not a directory",
  ],
])("T67: a configuration that %s is rejected, with the key", async (_how, text, problem) => {
  const path = join(temporaryDirectory(), "config.json");
  writeFileSync(path, text);
  const outcome = await start("spark-init-container", [path]).ended;
  expect(outcome.exit).toBe(2);
  expect(reasonOf(outcome)).toMatchObject({ code: "badConfig", message: expect.stringContaining(problem) });
});

test("T67: a missing configuration file is named", async () => {
  const outcome = await start("spark-init-container", ["/no/such/config.json"]).ended;
  expect(outcome.exit).toBe(2);
  expect(reasonOf(outcome)).toEqual({ code: "badConfig", message: "/no/such/config.json does not exist" });
});

test("a target directory that is a symbolic link is rejected", async () => {
  const server = await serve(bundleServer(bundleContents));
  const directory = temporaryDirectory();
  symlinkSync("/tmp", join(directory, "jars"));
  const run = localize([bundleSource(server.url)], { directory });
  const outcome = await run.program.ended;
  expect(outcome.exit).toBe(2);
  expect(reasonOf(outcome)).toMatchObject({ message: `${directory}/jars exists and is not a directory` });
});
