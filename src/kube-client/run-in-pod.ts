import { resourceTypes } from "../kube/resources.ts";
import type { Transport } from "../kube/transport.ts";
import { isFields } from "../values/fields.ts";
import type { RunInPodCall } from "./call.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import type { WebSocketConnection } from "./http/web-socket.ts";
import { aboutSubresource } from "./target.ts";

// Every Kubernetes version supports this protocol. It cannot close stdin, so a program must know the size of its input.
const protocol = "v4.channel.k8s.io";
const stdinChannel = 0;
const stderrChannel = 2;
const statusChannel = 3;
const maxErrorChars = 1000;

/**
 * Runs a command in a container and sends its input. The command must end by itself.
 *
 * Source: Kubernetes, `pods/exec` over WebSockets.
 *
 * @throws SUBMIT_ERR_KUBE_…; Error with the output to stderr if the command fails
 */
export async function runInPod(api: Api, call: RunInPodCall): Promise<void> {
  const { namespace, pod, container, command, input, signal } = call;
  const target = { type: resourceTypes.pod, namespace, name: pod, subresource: "exec" };
  const opened: WebSocketConnection[] = [];
  const transport: Transport = async (request) => {
    if (api.openSession === undefined) throw new Error("this API opens no sessions");
    const { webSocket, rejection } = await api.openSession({ ...request, protocol });
    if (webSocket === undefined) return rejection;
    opened.push(webSocket);
    return { status: 200, headers: {}, body: none() };
  };
  const query = { container, stdin: true, stdout: true, stderr: true };
  const about = aboutSubresource(target, "get", query);
  const args = command.map((arg) => `&command=${encodeURIComponent(arg)}`).join("");
  const request: Exchange = {
    ...{ ...about, target: `${about.target}${args}`, signal },
    ...{ method: "GET", headers: { accept: "*/*" } },
  };
  await exchange({ ...api, transport }, request, async () => {});
  const [webSocket] = opened;
  if (webSocket === undefined) throw new Error("the session was neither opened nor rejected");
  await communicate(webSocket, input, signal);
}

async function* none(): AsyncGenerator<Uint8Array> {}

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
