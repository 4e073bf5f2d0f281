import { submitError } from "../errors/submit-error.ts";
import type { ApiResponse } from "../kube/transport.ts";
import type { Api, Exchange } from "./exchange.ts";
import { readText } from "./lines.ts";

/** Parses a response as an object; its shape is not checked. @throws SUBMIT_ERR_KUBE_RESPONSE */
export async function readResponse<T>(api: Api, call: Exchange, response: ApiResponse): Promise<T> {
  const value = parseJson<T>(await readText(response.body));
  if (typeof value === "object" && value !== null) return value;
  const url = `${api.server}${call.target.split("?")[0]}`;
  const reason = value === undefined ? "it is not JSON, or it is cut off" : "it is not an object";
  throw submitError("SUBMIT_ERR_KUBE_RESPONSE", { method: call.method, url, reason });
}

// Drops the parser's message: it quotes the text, which may hold a secret.
function parseJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
