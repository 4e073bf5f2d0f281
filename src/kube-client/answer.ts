import { submitError } from "../errors/submit-error.ts";
import type { ApiResponse } from "../kube/transport.ts";
import type { Api, Exchange } from "./exchange.ts";
import { readText } from "./lines.ts";

/** Reads an answer as the object that the API says it sends. */
export async function readAnswer<T>(api: Api, call: Exchange, response: ApiResponse): Promise<T> {
  const text = await readText(response.body);
  try {
    return parseJson<T>(text);
  } catch (error) {
    const url = `${api.server}${call.target.split("?")[0]}`;
    throw submitError("SUBMIT_ERR_KUBE_ANSWER", { method: call.method, url, reason: reasonOf(error) });
  }
}

function parseJson<T>(text: string): T {
  const value: T = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new SyntaxError("it is no object");
  return value;
}

// The parser's message quotes what it read, which may be a secret.
function reasonOf(error: unknown): string {
  return error instanceof SyntaxError && error.message === "it is no object"
    ? error.message
    : "it is not JSON, or it is cut off";
}
