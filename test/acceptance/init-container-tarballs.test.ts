import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { type Member, type RequestResponder, serve, tarballOf } from "./file-server.ts";
import { expectFailure, localize, secret, tree } from "./localize.ts";

function tarballSource(server: string, more: { readonly totalBytes?: number } = {}): LocalizeSource {
  return { kind: "tarball", server, resourceId: "r1", secretFile: secret(), entryKind: "jar", ...more };
}

function sendTarball(members: readonly Member[] | Uint8Array): RequestResponder {
  const body = members instanceof Uint8Array ? members : tarballOf(members);
  return (request, response) => {
    const isRight = request.url === "/api/v0/resources/r1" && request.headers.authorization === "good-token";
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/octet-stream" });
    response.end(isRight ? body : undefined);
  };
}

test("T53: a tarball of API v0 is unpacked, and a second run gives the same files", async () => {
  const members = [
    { name: "./", type: "5" },
    { name: "./a.jar", content: "a" },
    { name: "b.sh", mode: 0o755 },
  ];
  const server = await serve(sendTarball(members));
  const first = localize([tarballSource(server.url)]);
  expect(await first.program.ended).toMatchObject({ exit: 0, stderr: "" });
  const second = localize([tarballSource(server.url)], { directory: first.directory });
  expect(await second.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect(tree(first.directory)).toEqual({ "jars/": "755", "jars/a.jar": "644", "jars/b.sh": "755" });
  expect(readFileSync(join(first.directory, "jars/a.jar"), "utf8")).toBe("a");
});

test.each<[string, readonly Member[]]>([
  ["a name that leads out", [{ name: "../evil", content: "x" }]],
  ["an absolute name", [{ name: "/tmp/firesteel-evil", content: "x" }]],
  [
    "a symbolic link",
    [
      { name: "link", type: "2", linkName: "/etc/passwd" },
      { name: "link", content: "x" },
    ],
  ],
  ["a hard link", [{ name: "link", type: "1", linkName: "/etc/passwd" }]],
  ["a device", [{ name: "null", type: "3" }]],
  [
    "two of one name",
    [
      { name: "a", content: "1" },
      { name: "./a", content: "2" },
    ],
  ],
  ["a directory", [{ name: "folder/", type: "5" }]],
  ["a file in a directory", [{ name: "folder/file", content: "x" }]],
  ["a name of 300 bytes", [{ name: "././@LongLink", type: "L", content: "n".repeat(300) }, { name: "n" }]],
])("T59: a tarball with %s is refused, with all that is in it", async (_what, members) => {
  const server = await serve(sendTarball([{ name: "good.jar", content: "good" }, ...members]));
  await expectFailure(localize([tarballSource(server.url)]), 5, { code: "integrity" });
  expect(existsSync("/tmp/firesteel-evil")).toBe(false);
});

test("T60: unpacking stops at the declared size", async () => {
  const members = [
    { name: "a", content: Buffer.alloc(1000) },
    { name: "b", content: Buffer.alloc(100_000) },
  ];
  const server = await serve(sendTarball(members));
  const run = localize([tarballSource(server.url, { totalBytes: 2000 })]);
  await expectFailure(run, 5, { code: "integrity", entry: "b" });
  const exact = localize([tarballSource(server.url, { totalBytes: 100_000 })]);
  expect((await exact.program.ended).exit).toBe(0);
});

test("T60: a gzip bomb without a declared size is stopped", async () => {
  const server = await serve(sendTarball([{ name: "bomb", content: Buffer.alloc(400 * 1024 * 1024) }]));
  const { stderr } = await expectFailure(localize([tarballSource(server.url)]), 5, { code: "integrity" });
  expect(stderr).toContain("it unpacks to more than 200 times its size");
});

test.each<[string, (complete: Uint8Array) => Uint8Array]>([
  ["cut off", (complete) => complete.subarray(0, complete.length - 20)],
  ["with a wrong check sum", (complete) => Buffer.concat([complete.subarray(0, -8), Buffer.alloc(8, 1)])],
  ["none", () => Buffer.from("no gzip")],
])("T60: a gzip file that is %s is refused", async (_how, change) => {
  const server = await serve(sendTarball(change(tarballOf([{ name: "a", content: "x".repeat(5000) }]))));
  await expectFailure(localize([tarballSource(server.url)]), 5, { code: "integrity" });
});
