import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleServer, digestOf, freePort, type RequestResponder, serve } from "./file-server.ts";
import { expectFailure, localize, programOutput, secret, tree } from "./localize.ts";
import { bundleContents, bundleSource, placedModes } from "./localize-sources.ts";
import { root, temporaryDirectory } from "./programs.ts";

test("T53: a bundle is placed readable for all users, and a second run changes nothing", async () => {
  const server = await serve(bundleServer(bundleContents));
  const first = localize([bundleSource(server.url)]);
  const { exit, stdout, stderr } = await first.program.ended;
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout).toContain(`6 files of 300022 bytes are in ${first.directory} after `);
  expect(tree(first.directory)).toEqual(placedModes);
  for (const [path, content] of Object.entries(bundleContents))
    expect(digestOf(readFileSync(join(first.directory, path)))).toBe(digestOf(content));
  const requests = server.requests.length;
  const times = Object.keys(bundleContents).map((path) => statSync(join(first.directory, path)).mtimeMs);
  const second = localize([bundleSource(server.url)], { directory: first.directory });
  expect((await second.program.ended).exit).toBe(0);
  expect(server.requests.length - requests).toBe(1);
  expect(Object.keys(bundleContents).map((path) => statSync(join(first.directory, path)).mtimeMs)).toEqual(times);
});

test("T53: modes do not depend on the umask", async () => {
  const server = await serve(bundleServer(bundleContents));
  const { configPath, directory, program } = localize([bundleSource(server.url)]);
  await program.ended;
  const other = join(temporaryDirectory(), "deps");
  mkdirSync(other);
  writeFileSync(configPath, readFileSync(configPath, "utf8").replace(directory, other));
  const command = `umask 077; exec "${process.execPath}" "$0" "$1"`;
  const child = spawn("sh", ["-c", command, join(root, "dist/bin/spark-init-container.cjs"), configPath]);
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  expect(tree(other)).toEqual(placedModes);
});

test("T54: a wrong token fails at once and is never shown", async () => {
  const server = await serve(bundleServer(bundleContents));
  const run = localize([bundleSource(server.url, secret("wrong-token"))]);
  const message = `bundle b1 of ${server.url}: the server responded with 401`;
  const outcome = await expectFailure(run, 3, { code: "unauthorized", message });
  expect(outcome.stdout + outcome.stderr).not.toContain("wrong-token");
  expect(server.requests).toHaveLength(1);
});

test.each([404, 410])("T55: an unknown or expired bundle fails at once: %i", async (status) => {
  const server = await serve((_request, response) => {
    response.writeHead(status).end();
  });
  await expectFailure(localize([bundleSource(server.url)]), 4, { code: "notFound" });
  expect(server.requests).toHaveLength(1);
});

test("T56: waits for a server that starts later", async () => {
  const port = await freePort();
  const run = localize([bundleSource(`http://127.0.0.1:${port}`)]);
  await programOutput(run, "; retrying");
  await serve(bundleServer(bundleContents), port);
  expect((await run.program.ended).exit).toBe(0);
  expect(tree(run.directory)).toEqual(placedModes);
});

test("T56: fails after the timeout when the server never starts", async () => {
  const port = await freePort();
  const run = localize([bundleSource(`http://127.0.0.1:${port}`)], { timeoutSeconds: 2 });
  const outcome = await expectFailure(run, 7, { code: "network" });
  expect(outcome.stderr).toContain("Timed out after 2 s; last error: bundle b1 of http://127.0.0.1:");
});

/** Cuts the connection `times` times, each after a quarter of the remaining bytes. */
function cutting(
  times: number,
  respond: RequestResponder,
  body: Uint8Array,
): { respond: RequestResponder; sent: () => number } {
  let cuts = 0;
  let sent = 0;
  return {
    sent: () => sent,
    respond(request, response) {
      if (!request.url?.includes("entries")) return respond(request, response);
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const rest = body.subarray(start);
      if (cuts === times) {
        sent += rest.length;
        return respond(request, response);
      }
      cuts += 1;
      const part = rest.subarray(0, Math.ceil(rest.length / 4));
      sent += part.length;
      response.writeHead(start === 0 ? 200 : 206, {
        "content-length": rest.length,
        ...(start === 0 ? {} : { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` }),
      });
      response.write(part, () => setImmediate(() => response.destroy()));
    },
  };
}

test("T57: three cut connections cost three requests and no byte is sent twice", async () => {
  const body = Buffer.alloc(4_000_000, "0123456789");
  const cut = cutting(3, bundleServer({ "jars/a.jar": body }), body);
  const server = await serve(cut.respond);
  const run = localize([bundleSource(server.url)]);
  expect((await run.program.ended).exit).toBe(0);
  expect(server.requests.map(({ headers }) => headers.range === undefined)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
  expect(cut.sent()).toBeLessThan(body.length * 1.1);
  expect(digestOf(readFileSync(join(run.directory, "jars/a.jar")))).toBe(digestOf(body));
});

test("T58: a wrong byte leaves no file", async () => {
  const right = bundleServer({ "jars/a.jar": "right" });
  const server = await serve((request, response) =>
    request.url?.includes("entries") ? void response.end("wrong") : right(request, response),
  );
  const reason = { code: "integrity", entry: "jars/a.jar" };
  const { stderr } = await expectFailure(localize([bundleSource(server.url)]), 5, reason);
  expect(stderr).toContain(`the digest ${digestOf("wrong")} instead of ${digestOf("right")}`);
});

test("T66: SIGTERM during a download leaves no files", async () => {
  const right = bundleServer(bundleContents);
  let started = () => {};
  const beginning = new Promise<void>((resolve) => {
    started = resolve;
  });
  const server = await serve((request, response) => {
    if (!request.url?.endsWith("entries/0")) return right(request, response);
    response.writeHead(200, { "content-length": 300_000 });
    response.write(Buffer.alloc(100_000), started);
  });
  const run = localize([bundleSource(server.url)]);
  await beginning;
  run.program.child.kill("SIGTERM");
  const { exit, stderr } = await run.program.ended;
  expect({ exit, stderr }).toEqual({ exit: 143, stderr: expect.stringContaining('"code":"stopped"') });
  expect(Object.keys(tree(run.directory))).not.toContain(".incoming/");
}, 20_000);
