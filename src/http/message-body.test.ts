import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { type BodyLimits, readBody, type TakePiece } from "./message-body.ts";

interface Reading {
  readonly socket: Socket;
  /** "complete", or the error. */
  readonly ended: Promise<string>;
}

/** Starts a server that reads a body with `take`, and sends it the head of a request. */
async function readFrom(take: TakePiece, limits: Partial<BodyLimits> = {}): Promise<Reading> {
  const all = { maxBytes: 1_000_000, idleMs: 60_000, clock: testClock(0), ...limits };
  let settle: (how: string) => void;
  const ended = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    readBody({ request, response }, all, take).then(
      () => settle("complete"),
      (error: unknown) => settle(error instanceof Error ? error.message : "?"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
  socket.on("error", () => {}).write("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  return { socket, ended };
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const end = "0\r\n\r\n";

/** A promise that a test settles. */
function gate(): { readonly passed: Promise<void>; readonly open: (error?: Error) => void } {
  let open: (error?: Error) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { passed, open };
}

test("passes each piece after the previous one is handled, and then the end", async () => {
  const gates = [gate(), gate()];
  const pieces: string[] = [];
  const came = [gate(), gate()];
  const { socket, ended } = await readFrom((piece) => {
    pieces.push(Buffer.from(piece).toString());
    came[pieces.length - 1]?.open();
    return gates[pieces.length - 1]?.passed;
  });
  socket.write(`${chunk("one")}${chunk("two")}${end}`);
  await came[0]?.passed;
  expect(pieces).toEqual(["one"]);
  gates[0]?.open();
  await came[1]?.passed;
  gates[1]?.open();
  expect(await ended).toBe("complete");
  expect(pieces).toEqual(["one", "two"]);
});

test("passes no further piece while one is being handled", async () => {
  const pieces: number[] = [];
  const { socket, ended } = await readFrom((piece) => {
    pieces.push(piece.length);
    return Promise.reject(new Error("full"));
  });
  socket.write(`${chunk("one")}${chunk("two")}${end}`);
  expect(await ended).toBe("full");
  const thrown = await readFrom(() => {
    throw new Error("no");
  });
  thrown.socket.write(chunk("one"));
  expect(await thrown.ended).toBe("no");
  expect(pieces).toEqual([3]);
});

test("reports a closed connection after the last piece is handled", async () => {
  const [came, taken] = [gate(), gate()];
  let isTaken = false;
  const { socket, ended } = await readFrom(() => {
    came.open();
    return taken.passed.then(() => {
      isTaken = true;
    });
  });
  socket.write(chunk("one"));
  await came.passed;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.destroy();
  await closed;
  taken.open();
  expect(await ended).toBe("the body of the request: cut");
  expect(isTaken).toBe(true);
});

test("counts idle time only while no piece is being handled", async () => {
  const clock = testClock(0);
  const [came, taken] = [gate(), gate()];
  const { socket, ended } = await readFrom(
    () => {
      came.open();
      return taken.passed;
    },
    { clock, idleMs: 1000 },
  );
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  socket.write(chunk("one"));
  await came.passed;
  await clock.advance(5000);
  expect(hasEnded).toBe(false);
  taken.open();
  await clock.advance(999);
  expect(hasEnded).toBe(false);
  await clock.advance(1000);
  expect(await ended).toBe("the body of the request: idle");
});

test("rejects a body above the limit", async () => {
  let sizeBytes = 0;
  const take: TakePiece = (piece) => {
    sizeBytes += piece.length;
    return undefined;
  };
  const { socket, ended } = await readFrom(take, { maxBytes: 5 });
  socket.write(`${chunk("123")}${chunk("456")}`);
  expect(await ended).toBe("the body of the request: tooLarge");
  expect(sizeBytes).toBe(3);
});

test("rejects a body that is slower than the minimum rate", async () => {
  const clock = testClock(0);
  const came: (() => void)[] = [];
  const limits = { clock, idleMs: 1000, minBytesPerSecond: 100 };
  const { socket, ended } = await readFrom(() => void came.shift()?.(), limits);
  // 50 bytes each 900 ms are 55 bytes a second.
  for (let count = 0; count < 3; count += 1) {
    const taken = new Promise<void>((resolve) => came.push(resolve));
    socket.write(chunk("x".repeat(50)));
    await taken;
    await clock.advance(900);
  }
  expect(await ended).toBe("the body of the request: idle");
});

test("reads a body at the minimum rate for longer than the idle time", async () => {
  const clock = testClock(0);
  const came: (() => void)[] = [];
  const limits = { clock, idleMs: 1000, minBytesPerSecond: 100 };
  const { socket, ended } = await readFrom(() => void came.shift()?.(), limits);
  for (let count = 0; count < 10; count += 1) {
    const taken = new Promise<void>((resolve) => came.push(resolve));
    socket.write(chunk("x".repeat(100)));
    await taken;
    await clock.advance(900);
  }
  socket.write(end);
  expect(await ended).toBe("complete");
});
