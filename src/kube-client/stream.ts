import { submitError } from "../errors/submit-error.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { networkError } from "./network-error.ts";
import { timeLimit } from "./time-limit.ts";

/**
 * Streams the body of a response. The first read sends the request, and the end of the reader aborts it. A connection that
 * breaks is an error, never the end of the stream.
 */
export async function* streamBody(api: Api, call: Exchange): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, release } = timeLimit(api.clock, { ms: 0, caller: call.signal });
  try {
    const response = await exchange(api, { ...call, signal, isStream: true }, async (started) => started);
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
