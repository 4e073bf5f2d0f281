import type { ApiResponse } from "../../../../kube/transport.ts";

/** A redirection inside the pod, as one through the proxy; others stay as they are. */
export function proxiedLocation(location: string, prefix: string): string {
  return isRooted(location) && !location.startsWith(`${prefix}/`) ? `${prefix}${location}` : location;
}

/** Attributes of HTML whose values are links. */
const links =
  /(\s(?:action|background|cite|data|formaction|href|icon|longdesc|poster|src)\s*=\s*)(["'])(\/[^"']*)\2/gi;

/** A page whose links to its own server lead through the proxy. Source: Kubernetes' proxy transport. */
export async function proxiedHtml(response: ApiResponse, prefix: string): Promise<ApiResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("latin1");
  const content = text.replaceAll(links, (_, name: string, quote: string, link: string) =>
    [name, quote, proxiedLocation(link, prefix), quote].join(""),
  );
  const body = Buffer.from(content, "latin1");
  return {
    ...response,
    headers: { ...response.headers, "content-length": String(body.length) },
    body: once(body),
  };
}

/** From the root of a server, but of none that is named. */
function isRooted(link: string): boolean {
  return link.startsWith("/") && !link.startsWith("//");
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
