import type { ApiResponse } from "../../../../kube/transport.ts";

/** Rewrites a redirect within the pod to go through the proxy; others are kept. */
export function proxiedLocation(location: string, prefix: string): string {
  return isRooted(location) && !location.startsWith(`${prefix}/`) ? `${prefix}${location}` : location;
}

/** Attributes of HTML whose values are links. */
const links = /(\s(?:action|background|cite|data|formaction|href|icon|longdesc|poster|src)\s*=\s*)(["'])(\/[^"']*)\2/gi;

/** Rewrites the links of an HTML page to its own server to go through the proxy. Source: Kubernetes' proxy transport. */
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

/** Whether a link is a path from the server's root. */
function isRooted(link: string): boolean {
  return link.startsWith("/") && !link.startsWith("//");
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
