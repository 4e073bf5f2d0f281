import { submitError } from "../errors/submit-error.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { networkError } from "./network-error.ts";

/**
 * The bytes of an answer that comes bit by bit. The request begins with the first read, ends when the reader stops,
 * and a connection that breaks in between is an error, never an end.
 */
export async function* streamBody(api: Api, call: Exchange): AsyncGenerator<Uint8Array, void, undefined> {
  const response = await exchange(api, call, async (begun) => begun);
  try {
    yield* response.body;
  } catch (error) {
    if (call.signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
    throw networkError(error, api.server);
  }
}
