import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../host/node-host.ts";
import type { ConnectionLimits } from "../../http/connection-limits.ts";
import { openTestSocket } from "../../http/test-socket.ts";
import type { PushedEntries } from "./pushed-entries.ts";
import { receivePush } from "./receive-push.ts";

/** Entries that take any bytes. */
function entriesOf(totalBytes: number): PushedEntries {
  let receivedBytes = 0;
  return {
    ...{ entries: [], totalBytes },
    receivedBytes: () => receivedBytes,
    isComplete: () => receivedBytes === totalBytes,
    async write({ length }) {
      receivedBytes += length;
    },
    moveFiles: () => ({ files: 1, bytes: receivedBytes }),
  };
}

/** Starts to receive; the receiver ends with the test. */
async function receive(limits: Partial<ConnectionLimits>, basePath = "") {
  const lines: string[] = [];
  let started = (_: number) => {};
  const listening = new Promise<number>((resolve) => {
    started = resolve;
  });
  const log = (text: string) => {
    lines.push(text);
    const port = /on port (\d+)$/.exec(text)?.[1];
    if (port !== undefined) started(Number(port));
  };
  const ending = new AbortController();
  const run = { host: nodeHost(), log, signal: ending.signal, problem: {} };
  const source = { kind: "push", port: 0, secretFile: "", entries: [], basePath } as const;
  const received = receivePush(run, source, { secret: "s", entries: entriesOf(3), limits });
  received.catch(() => {});
  onTestFinished(() => ending.abort(new Error("the test has ended")));
  return { port: await listening, lines, received };
}

const head = "POST /v1/submissions/create HTTP/1.1\r\nHost: x\r\nX-Submission-Secret: s\r\nContent-Length: 3\r\n\r\n";

describe("the receiver of pushed files", () => {
  test.each(["", "POST /v1", "POST / HTTP/1.1\r\nHost: x\r\n"])("closes the half-sent request %j", async (text) => {
    const { port } = await receive({ headersMs: 100 });
    const { send, closed } = await openTestSocket(port);
    if (text !== "") await send(text);
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("accepts an upload that lasts longer than each limit", { tags: "long" }, async () => {
    const { port, received } = await receive({ headersMs: 100, keepAliveMs: 100 });
    const { send, whenReceived } = await openTestSocket(port);
    await send(head);
    for (const byte of ["a", "b", "c"]) {
      await (await openTestSocket(port)).closed;
      await send(byte);
    }
    await whenReceived(/"success":true/);
    expect(await received).toEqual({ files: 1, bytes: 3 });
  });

  test("lets the client in when others hold all connections", async () => {
    const { port, lines, received } = await receive({ maxConnections: 2 });
    const others = [];
    for (let count = 0; count < 50; count += 1) others.push(await openTestSocket(port));
    const { send, whenReceived } = await openTestSocket(port);
    await send(`${head}abc`);
    await whenReceived(/"success":true/);
    expect(await received).toEqual({ files: 1, bytes: 3 });
    await Promise.all(others.map(({ closed }) => closed));
    expect(lines.filter((line) => line.startsWith("All connections"))).toEqual([
      "All connections are in use: closed or rejected 1",
    ]);
  });

  test("does not listen with a key and a certificate that are not valid", async () => {
    const run = { host: nodeHost(), log() {}, signal: new AbortController().signal, problem: {} };
    const source = { kind: "push", port: 0, secretFile: "", entries: [] } as const;
    const tls = { key: "no key", cert: "no certificate" };
    await expect(receivePush(run, source, { secret: "s", entries: entriesOf(3), tls })).rejects.toMatchObject({
      code: "badConfig",
      message: expect.stringContaining("The key and the certificate of the server are not valid"),
    });
  });

  test.each(["/jobs/app", ""])("serves the paths with and without its base path (%j), and no others", async (path) => {
    const { port, received } = await receive({}, "/jobs/app");
    const other = await openTestSocket(port);
    await other.send(head.replace("POST ", "POST /jobs/other"));
    await other.whenReceived(/ 404 /);
    const own = await openTestSocket(port);
    await own.send(`${head.replace("POST ", `POST ${path}`)}abc`);
    await own.whenReceived(/"success":true/);
    expect(await received).toEqual({ files: 1, bytes: 3 });
  });
});
