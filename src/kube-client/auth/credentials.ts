import { submitError } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { Transport } from "../../kube/transport.ts";
import { readText } from "../lines.ts";
import type { Account } from "./account.ts";

/** By what the API knows who asks. */
export type Credentials = Pick<Account, "basic" | "token">;

const rereadMs = 60_000;

// RFC 9110, 5.5: visible characters and blanks.
const headerText = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * A transport that says who asks. What was read from files is read again each minute, and once more when the API does
 * not accept it: service accounts and kubeconfigs get new tokens while a driver runs.
 */
export function withCredentials(
  transport: Transport,
  clock: Clock,
  { first, reread }: { first: Credentials; reread: () => Promise<Credentials> },
): Transport {
  let headers = toHeaders(first);
  let readAt = clock.monotonic();
  const renew = async () => {
    readAt = clock.monotonic();
    headers = toHeaders(await reread());
  };
  return async (request) => {
    if (clock.monotonic() - readAt > rereadMs) await renew();
    const used = headers;
    const response = await transport({ ...request, headers: { ...request.headers, ...used } });
    if (response.status !== 401) return response;
    await renew();
    if (headers["authorization"] === used["authorization"]) return response;
    await readText(response.body);
    return transport({ ...request, headers: { ...request.headers, ...headers } });
  };
}

function toHeaders({ basic, token }: Credentials): Readonly<Record<string, string>> {
  if (basic !== undefined) {
    const pair = Buffer.from(`${basic.user}:${basic.password}`).toString("base64");
    return { authorization: `Basic ${pair}` };
  }
  if (token === undefined || token === "") return {};
  if (!headerText.test(token)) throw submitError("SUBMIT_ERR_KUBE_AUTH_TOKEN", {});
  return { authorization: `Bearer ${token}` };
}
