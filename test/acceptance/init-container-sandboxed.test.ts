import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { testWith } from "../test-with.ts";
import { bundleServer, serve } from "./file-server.ts";
import { localize, type Run, reasonOf, tree } from "./localize.ts";
import { bundleContents, bundleSource, placedModes, remoteSource } from "./localize-sources.ts";
import { type Outcome, root } from "./programs.ts";

/** Runs the program in a bubblewrap sandbox with the configuration of an earlier run. */
function sandboxed({ configPath }: Run, args: readonly string[]) {
  const program = join(root, "dist/bin/spark-init-container.cjs");
  const child = spawn("bwrap", [...args, process.execPath, program, configPath]);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise<Outcome>((resolve) =>
    child.on("close", (code) => resolve({ exit: code ?? "?", stdout: "", stderr })),
  );
}

testWith("bubblewrap")("T61: too little space is reported before and during the download", async () => {
  const big = Buffer.alloc(2_000_000);
  const server = await serve((request, response) =>
    request.url === "/unknown-size"
      ? void response.writeHead(200).end(big)
      : bundleServer({ "jars/a.jar": big })(request, response),
  );
  const small = (directory: string) => ["--dev-bind", "/", "/", "--size", "1048576", "--tmpfs", directory];
  const known = localize([bundleSource(server.url)]);
  await known.program.ended;
  const before = await sandboxed(known, small(known.directory));
  expect(before.exit).toBe(6);
  expect(reasonOf(before)).toMatchObject({ message: "The files need 2000000 bytes; 1048576 are available" });
  const unknown = localize([remoteSource(`${server.url}/unknown-size`)]);
  await unknown.program.ended;
  const within = await sandboxed(unknown, small(unknown.directory));
  expect(within.exit).toBe(6);
  expect(reasonOf(within)).toMatchObject({ code: "noSpace", entry: "files/f0" });
});

testWith("bubblewrap")("T65: any user may run it on a root that is read-only", async () => {
  const server = await serve(bundleServer(bundleContents));
  const run = localize([bundleSource(server.url)]);
  await run.program.ended;
  const inner = `${run.directory}/inner`;
  mkdirSync(inner);
  chmodSync(inner, 0o777);
  writeFileSync(run.configPath, readFileSync(run.configPath, "utf8").replace(run.directory, inner));
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--bind", inner, inner];
  const identity = ["--unshare-user", "--uid", "54321", "--gid", "54321", "--clearenv"];
  const outcome = await sandboxed(run, [...mounts, ...identity]);
  expect(outcome).toMatchObject({ exit: 0, stderr: "" });
  expect(tree(inner)).toEqual(placedModes);
});
