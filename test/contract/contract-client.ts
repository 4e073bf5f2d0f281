import type { ApiRequest, Transport } from "../../src/kube/transport.ts";
import type { KubeResource } from "../../src/kube/types.ts";

/** Fields of objects that the tests read. */
export interface ResponseBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeResource["metadata"] & {
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ResponseBody[];
  readonly data: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>> | string;
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

export interface ContractResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
  readonly text: string;
}

export interface CallOptions {
  readonly type?: string;
  readonly accept?: string;
}

/** Calls an API and returns any response. */
export interface ContractClient {
  readonly call: (
    method: ApiRequest["method"],
    path: string,
    body?: unknown,
    options?: CallOptions,
  ) => Promise<ContractResponse>;
  /** Reads the first events of a watch until one matches. */
  readonly watch: (
    path: string,
    count: number,
    during?: () => Promise<unknown>,
    goesOn?: (event: WatchedEvent) => boolean,
  ) => Promise<readonly WatchedEvent[]>;
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: ResponseBody;
}

function parseJson<T>(text: string): T {
  return JSON.parse(text);
}

export function contractClient(transport: Transport): ContractClient {
  return {
    async call(method, path, body, { type = "application/json", accept = "application/json" } = {}) {
      const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
      const headers = {
        accept,
        "user-agent": "contract/1",
        ...(body === undefined ? {} : { "content-type": type }),
      };
      const response = await transport({ method, path, headers, ...sent });
      const text = await readAll(response.body);
      return { status: response.status, headers: response.headers, body: parseOrEmpty(text), text };
    },
    async watch(path, count, during = async () => {}, goesOn = () => true) {
      const ending = new AbortController();
      const request = {
        method: "GET",
        path,
        headers: { accept: "application/json" },
        signal: ending.signal,
      } as const;
      const response = await transport(request);
      const events: WatchedEvent[] = [];
      const changes = during();
      await readLines(response.body, (line) => {
        const event: WatchedEvent = parseJson(line);
        events.push(event);
        return goesOn(event) && events.length < count;
      });
      ending.abort();
      await changes;
      return events;
    },
  };
}

function parseOrEmpty(text: string): ResponseBody {
  return parseJson(text.startsWith("{") ? text : "{}");
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

async function readLines(body: AsyncIterable<Uint8Array>, take: (line: string) => boolean): Promise<void> {
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (!take(line)) return;
  }
}
