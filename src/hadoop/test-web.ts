import type { HttpConnections, HttpRequest, HttpResponse } from "../net/http-connections.ts";

/** Request that the test servers received: `PUT http://nn:9870/path?query`, and its body. */
export interface TestRequest {
  readonly line: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: NonNullable<HttpRequest["headers"]>;
  readonly body: Uint8Array;
}

/** Response of the servers. A string breaks the connection with that Node error code, e.g. `ECONNREFUSED`. */
export type TestResponse =
  | string
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: HttpResponse["headers"];
      /** Whether the connection breaks at the end of the text. */
      readonly isCut?: boolean;
    };

/** In-memory servers, all implemented by one function. */
export interface TestWeb {
  readonly connections: HttpConnections;
  readonly requests: readonly TestRequest[];
  /** Number of responses that were neither read to the end nor closed. */
  readonly open: () => number;
}

/** Builds servers from a function that responds. */
export function testWeb(respond: (request: TestRequest) => TestResponse): TestWeb {
  const requests: TestRequest[] = [];
  const open = new Set<TestRequest>();
  const send: HttpConnections["send"] = async ({ method, url, headers = {}, body, signal }) => {
    signal?.throwIfAborted();
    const request = {
      ...{ line: `${method} ${url.href}`, method, url, headers, body: await bytesOf(body) },
    };
    requests.push(request);
    const response = respond(request);
    if (typeof response === "string")
      throw Object.assign(new Error(`connect ${response} ${url.host}`), { code: response });
    const { status = 200, json, text = json === undefined ? "" : JSON.stringify(json) } = response;
    open.add(request);
    const close = () => open.delete(request);
    const chunks = chunksOf(text, { isCut: response.isCut === true, close });
    return { status, headers: response.headers ?? {}, body: chunks, close };
  };
  return { connections: { send, close: () => {} }, requests, open: () => open.size };
}

async function bytesOf(body: HttpRequest["body"]): Promise<Uint8Array> {
  if (body === undefined || body instanceof Uint8Array) return body ?? new Uint8Array();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* chunksOf(
  text: string,
  { isCut, close }: { readonly isCut: boolean; readonly close: () => void },
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  close();
  if (isCut) throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
}
