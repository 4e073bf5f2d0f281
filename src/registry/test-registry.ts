import type { HttpRequest, HttpResponse } from "../net/http-connections.ts";

/** Response of a stub. */
export interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Registry that responds by URL, or with a function of the request; other URLs are missing. */
export function testRegistry(
  responses: Readonly<Record<string, StubResponse | ((request: HttpRequest) => StubResponse)>>,
) {
  const requests: string[] = [];
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { href } = request.url;
    requests.push(`${href} ${request.headers?.["authorization"] ?? "-"}`);
    const response = responses[href] ?? { status: 404 };
    const { status = 200, headers = {}, body = {} } = typeof response === "function" ? response(request) : response;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    async function* content() {
      yield Buffer.from(text);
    }
    return { status, headers, body: content(), close: () => {} };
  };
  return { send, requests };
}
