import { submitError } from "../errors/submit-error.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { networkError } from "./network-error.ts";
import { timeLimit } from "./time-limit.ts";

/**
 * The bytes of an answer that comes bit by bit. The request begins with the first read, ends when the reader stops,
 * and a connection that breaks in between is an error, never an end.
 */
export async function* streamBody(api: Api, call: Exchange): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, release } = timeLimit(api.clock, 0, call.signal);
  try {
    const response = await exchange(api, { ...call, signal, isStream: true }, async (begun) => begun);
    yield* brokenOff(api, call, response.body);
  } finally {
    release();
  }
}

async function* brokenOff(
  api: Api,
  { signal }: Exchange,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    if (signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
    throw networkError(error, api.server);
  }
}
