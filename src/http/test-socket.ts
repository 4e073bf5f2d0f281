import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Connection of a test that sends raw bytes. */
export interface TestSocket {
  readonly socket: Socket;
  /** Sends text and resolves when the system has taken it. */
  readonly send: (text: string) => Promise<void>;
  /** Text received so far. */
  readonly received: () => string;
  /** Resolves when the received text matches. */
  readonly whenReceived: (pattern: RegExp) => Promise<void>;
  /** Resolves with all received text when the server has closed the connection. */
  readonly closed: Promise<string>;
}

/** Opens a connection to 127.0.0.1, or wraps an open one. It ends with the test. */
export async function openTestSocket(target: number | Socket): Promise<TestSocket> {
  const socket = typeof target === "number" ? connect(target, "127.0.0.1") : target;
  let text = "";
  const listeners = new Set<() => void>();
  socket.on("data", (chunk) => {
    text += chunk;
    for (const listener of listeners) listener();
  });
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(text));
  });
  onTestFinished(() => void socket.destroy());
  if (typeof target === "number") await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return {
    socket,
    closed,
    send: (sent) => new Promise((resolve) => socket.write(sent, () => resolve())),
    received: () => text,
    whenReceived: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(text)) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        void closed.then(() => reject(new Error(`closed before ${pattern}: ${text}`)));
        check();
      }),
  };
}
