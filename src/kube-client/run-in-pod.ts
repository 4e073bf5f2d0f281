import { isFields } from "../values/fields.ts";
import type { RunInPodCall } from "./call.ts";
import type { Api } from "./exchange.ts";
import type { WebSocketConnection } from "./http/web-socket.ts";
import { openPodSession } from "./pod-session.ts";

const stdinChannel = 0;
const stderrChannel = 2;
const statusChannel = 3;
const maxErrorChars = 1000;

/**
 * Runs a command in a container and sends its input. The command must end by itself. The protocol cannot close stdin, so a program
 * must know the size of its input.
 *
 * @throws SUBMIT_ERR_KUBE_…; Error with the output to stderr if the command fails
 */
export async function runInPod(api: Api, call: RunInPodCall): Promise<void> {
  const { namespace, pod, container, command, input, signal } = call;
  const webSocket = await openPodSession(api, {
    ...{ namespace, pod, subresource: "exec", signal },
    query: { container, stdin: true, stdout: true, stderr: true },
    repeated: command.map((arg) => `&command=${encodeURIComponent(arg)}`).join(""),
  });
  await communicate(webSocket, input, signal);
}

async function communicate(webSocket: WebSocketConnection, input: RunInPodCall["input"], signal?: AbortSignal) {
  const stop = () => webSocket.terminate();
  signal?.addEventListener("abort", stop, { once: true });
  const ended = statusOf(webSocket);
  // The command can end, and fail, before it has read its input.
  ended.catch(() => {});
  try {
    const sent = send(webSocket, input).catch(() => {});
    await Promise.race([sent, ended]);
    await ended;
  } finally {
    signal?.removeEventListener("abort", stop);
    webSocket.terminate();
  }
}

async function send(webSocket: WebSocketConnection, input: RunInPodCall["input"]): Promise<void> {
  for (const chunk of input) {
    const message = Buffer.concat([Buffer.from([stdinChannel]), chunk]);
    await new Promise<void>((resolve, reject) => {
      webSocket.send(message, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Waits for the end of the command. Rejects if it fails, or if the connection ends first. */
function statusOf(webSocket: WebSocketConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = "";
    webSocket.on("message", (message) => {
      if (!Buffer.isBuffer(message)) return;
      const text = message.subarray(1).toString("utf8");
      if (message[0] === stderrChannel) errors = `${errors}${text}`.slice(0, maxErrorChars);
      if (message[0] !== statusChannel) return;
      const problem = problemIn(text);
      if (problem === undefined) resolve();
      else reject(new Error(errors.trim() || problem));
    });
    webSocket.on("error", reject);
    webSocket.on("close", () => reject(new Error("the connection to the pod ended before the command")));
    webSocket.resume();
  });
}

/** Returns the message of a failure in a Status; `undefined` for a success. */
function problemIn(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    if (isFields(status)) return status["status"] === "Success" ? undefined : String(status["message"] ?? text);
  } catch {
    // Not a Status: the text itself is the reason.
  }
  return text.trim();
}
