import type { GatewayResponse } from "../http/gateway-request.ts";

/** A short page with links. */
interface LoginPage {
  readonly status: number;
  readonly text: string;
  readonly links: readonly { readonly href: string; readonly text: string }[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Prints a page about logging in or out. */
export function loginPage({ status, text, links, headers }: LoginPage): GatewayResponse {
  const items = links.map((link) => `<p><a href="${escaped(link.href)}">${escaped(link.text)}</a></p>`);
  const head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Firesteel</title></head>';
  return {
    ...{ status, headers: { "content-type": "text/html; charset=utf-8", ...headers } },
    body: `${head}<body><main><h1>Firesteel</h1><p>${escaped(text)}</p>${items.join("")}</main></body></html>\n`,
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
