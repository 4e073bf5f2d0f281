import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { run } from "./programs.ts";

/** Starts a server that writes to each connection after its request. @returns its URL, and the bytes that it could send */
async function serve(write: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => write(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const sentBytes = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, sentBytes };
}

/** Writes a text again and again, as fast as the client reads, up to more than any limit. */
function repeat(socket: Socket, text: string, maxBytes = 700 * 1024 * 1024): void {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  const writeMore = () => {
    while (!socket.destroyed && socket.bytesWritten < maxBytes) if (!socket.write(chunk)) return;
    if (socket.bytesWritten >= maxBytes) socket.end();
  };
  socket.on("drain", writeMore);
  writeMore();
}

const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const mebibyte = 1024 * 1024;

test.each<[string, string, string, number, string]>([
  ["700 MB of JSON", `${ok}\r\n{"items":[`, '{"metadata":{}},', 70, "it is longer than 67108864 bytes"],
  ["nested lists", `${ok}\r\n`, "[", 70, "it is longer than 67108864 bytes"],
  ["a header of 700 MB", `${ok}x: `, "x", 2, "its head is too long"],
  ["endless headers", ok, "a: b\r\n", 2, "its head is too long"],
  ["endless interim responses", "", "HTTP/1.1 103 Early Hints\r\n\r\n", 2, "too many interim responses"],
  [
    "endless chunk extensions",
    `${ok}transfer-encoding: chunked\r\n\r\n`,
    "1;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n1\r\n",
    2,
    "not content",
  ],
  ["an endless error", "HTTP/1.1 403 No\r\n\r\n", "<html>", 8, "Failure executing: GET at: "],
])("status ends for %s", async (_, head, body, maxMebibytes, reason) => {
  const { url, sentBytes } = await serve((socket) => {
    socket.write(head);
    repeat(socket, body);
  });
  const { exit, stderr } = await run("firesteel", ["status", "ns:*", "--master", `k8s://${url}`]);
  expect(exit).toBe(1);
  expect(stderr).toMatch(/^Error: /m);
  expect(stderr).toContain(reason);
  expect(stderr.length).toBeLessThan(2000);
  // The buffers of the sockets hold some MiB more than the client reads.
  expect(sentBytes()).toBeLessThan((maxMebibytes + 16) * mebibyte);
});

test("status ends for a response that never ends", async () => {
  const { url } = await serve((socket) => {
    socket.write(`${ok}\r\n`);
    const timer = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const timeout = ["--conf", "spark.kubernetes.submission.requestTimeout=500"];
  const { exit, stderr } = await run("spark-submit", ["--status", "ns:*", "--master", `k8s://${url}`, ...timeout]);
  expect(exit).toBe(1);
  expect(stderr).toContain(
    "The timeout period of 500ms has been exceeded while executing GET /api/v1/namespaces/ns/pods",
  );
});

test.each([
  ["a redirect to itself", `HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n`, "HTTP status 302"],
  [
    "a compressed response",
    `${ok}content-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00`,
    "it is not JSON, or it is cut off",
  ],
])("status ends for %s", async (_, response, reason) => {
  const { url } = await serve((socket) => {
    socket.write(Buffer.from(response, "latin1"));
  });
  const { exit, stderr } = await run("firesteel", ["status", "ns:*", "--master", `k8s://${url}`]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining(reason)]);
});

test("diff rejects an object that is nested too deeply", async () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const pod = `{"metadata":{"name":"drv","namespace":"ns","uid":"u"},"spec":{"containers":[],"other":${deep}}}`;
  const { url } = await serve((socket) => {
    socket.write(`${ok}content-length: ${pod.length}\r\n\r\n${pod}`);
  });
  const application = ["--class", "X", "--conf", "spark.kubernetes.container.image=i", "local:///a.jar"];
  const where = ["--master", `k8s://${url}`, "--deploy-mode", "cluster", "--name", "x"];
  const { exit, stderr } = await run("firesteel", ["diff", "--against", "ns:drv", ...where, ...application]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("it has more than 500 levels")]);
});
