import { type IncomingHttpHeaders, type IncomingMessage, request as startRequest } from "node:http";
import type { Clock } from "../../host/host.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/** A web server in a pod, and a request to it. */
export interface DriverRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  readonly method: "GET" | "HEAD" | "POST";
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** @default none */
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** Response of a driver. */
export interface DriverResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

const responseMs = 30_000;

/** Sends a request to a port of a pod through the API. Rejects with an Error if there is no response. */
export async function fetchFromDriver(
  { client, clock }: { readonly client: Pick<KubeClient, "connectToPod">; readonly clock: Pick<Clock, "after"> },
  { namespace, pod, port, method, path, headers, body, signal }: DriverRequest,
): Promise<DriverResponse> {
  const connection = await client.connectToPod({ namespace, pod, port, signal });
  // The error of the request has the reason.
  connection.on("error", () => {});
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, path, headers: { ...headers, connection: "close" }, createConnection: () => connection };
    const request = startRequest(options, resolve);
    const cancel = clock.after(responseMs, () => request.destroy(new Error("the driver did not respond in 30 s")));
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
