import type { HttpConnections, HttpRequest } from "../host/http-exchange.ts";

/** One request that servers of a test got: `PUT http://nn:9870/path?query`, and its body. */
export interface TestRequest {
  readonly line: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: NonNullable<HttpRequest["headers"]>;
  readonly body: Uint8Array;
}

/** What they answer; a string breaks the connection with that code of Node, e.g. `ECONNREFUSED`. */
export type TestAnswer =
  | string
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Servers in memory, all of them one function. */
export interface TestWeb {
  readonly connections: HttpConnections;
  readonly requests: readonly TestRequest[];
}

/** Makes servers of what they answer. */
export function testWeb(answer: (request: TestRequest) => TestAnswer): TestWeb {
  const requests: TestRequest[] = [];
  const send: HttpConnections["send"] = async ({ method, url, headers = {}, body, signal }) => {
    signal?.throwIfAborted();
    const request = {
      ...{ line: `${method} ${url.href}`, method, url, headers, body: await bytesOf(body) },
    };
    requests.push(request);
    const answered = answer(request);
    if (typeof answered === "string")
      throw Object.assign(new Error(`connect ${answered} ${url.host}`), { code: answered });
    const { status = 200, json, text = json === undefined ? "" : JSON.stringify(json) } = answered;
    return { status, headers: answered.headers ?? {}, body: chunksOf(text), close: () => {} };
  };
  return { connections: { send, close: () => {} }, requests };
}

async function bytesOf(body: HttpRequest["body"]): Promise<Uint8Array> {
  if (body === undefined || body instanceof Uint8Array) return body ?? new Uint8Array();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
