import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request as startRequest,
} from "node:http";
import type { Clock } from "../../host/host.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/** A request for a page of Spark. */
export interface PageRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** @default none */
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** A web server in a pod, and a request to it. */
export interface DriverRequest extends PageRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Response of a web server of Spark. */
export interface SparkResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A server has not responded in time. */
export class ResponseTimeout extends Error {
  constructor(ms: number) {
    super(`the server did not respond in ${ms / 1000} s`);
  }
}

const driverMs = 30_000;
/** The server reads the whole event log before it responds. Many proxies before the gateway wait for 60 s. */
const historyMs = 55_000;

/** Sends a request to a port of a pod through the API. Rejects with an Error, such as `ResponseTimeout`, if there is no response. */
export async function fetchFromDriver(
  { client, clock }: { readonly client: Pick<KubeClient, "connectToPod">; readonly clock: Pick<Clock, "after"> },
  { namespace, pod, port, ...request }: DriverRequest,
): Promise<SparkResponse> {
  const connection = await client.connectToPod({ namespace, pod, port, signal: request.signal });
  // The error of the request has the reason.
  connection.on("error", () => {});
  return sendRequest({ clock, timeoutMs: driverMs, target: { createConnection: () => connection } }, request);
}

/** Sends a request to a history server on this machine. Rejects with an Error, such as `ResponseTimeout`, if there is no response. */
export function fetchFromHistoryServer(
  clock: Pick<Clock, "after">,
  port: number,
  request: PageRequest,
): Promise<SparkResponse> {
  return sendRequest({ clock, timeoutMs: historyMs, target: { host: "127.0.0.1", port } }, request);
}

interface Exchange {
  readonly clock: Pick<Clock, "after">;
  readonly timeoutMs: number;
  readonly target: RequestOptions;
}

async function sendRequest(
  { clock, timeoutMs, target }: Exchange,
  { method, path, headers, body, signal }: PageRequest,
): Promise<SparkResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { ...target, method, path, headers: { ...headers, connection: "close" } };
    const request = startRequest(options, resolve);
    const cancel = clock.after(timeoutMs, () => request.destroy(new ResponseTimeout(timeoutMs)));
    request.once("response", cancel);
    request.once("error", (error) => {
      cancel();
      reject(error);
    });
    const onAbort = () => request.destroy(new Error("the client has gone"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    request.end(body);
  });
  if (method === "HEAD") response.resume();
  return { status: response.statusCode ?? 502, headers: response.headers, body: response };
}
