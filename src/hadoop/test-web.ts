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
      /** The connection breaks at the end of the text. */
      readonly isCut?: boolean;
    };

/** Servers in memory, all of them one function. */
export interface TestWeb {
  readonly connections: HttpConnections;
  readonly requests: readonly TestRequest[];
  /** Answers that nobody has read to their end, or closed. */
  readonly open: () => number;
}

/** Makes servers of what they answer. */
export function testWeb(answer: (request: TestRequest) => TestAnswer): TestWeb {
  const requests: TestRequest[] = [];
  const open = new Set<TestRequest>();
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
    open.add(request);
    const close = () => open.delete(request);
    const chunks = chunksOf(text, { isCut: answered.isCut === true, close });
    return { status, headers: answered.headers ?? {}, body: chunks, close };
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
