import type { Host } from "../../host/host.ts";
import type { KerberosSession, KeytabLogin } from "../../kerberos/kerberos-session.ts";
import { negotiateTokenIn, offersNegotiate } from "../../net/negotiate-challenge.ts";
import type { SendRequest } from "./rest-exchange.ts";

/** Opens a session with a keytab, else with the user's tickets. */
export type OpenSession = (host: Host, login: KeytabLogin | undefined) => Promise<KerberosSession>;

const openOverNetwork: OpenSession = async (host, login) => {
  const { openKerberos } = await import("../../kerberos/open-kerberos.ts");
  return openKerberos(host, login);
};

/**
 * Adds Kerberos (SPNEGO) for gateways behind an authentication filter or proxy: a rejected request is sent again with a token.
 * If the gateway returns a token, it has to prove its identity.
 *
 * Also rejects with SUBMIT_ERR_KERBEROS_LOGIN, SUBMIT_ERR_KERBEROS_MISSING. Source: RFC 4559.
 */
export function negotiatingSend(
  host: Host,
  login: KeytabLogin | undefined,
  send: SendRequest,
  open: OpenSession = openOverNetwork,
): SendRequest {
  return async (request, options) => {
    const exchanged = await send(request, options);
    if (exchanged.kind === "failed" || exchanged.reply.status !== 401) return exchanged;
    if (!offersNegotiate(exchanged.reply.challenge)) return exchanged;
    const session = await open(host, login);
    try {
      const { token, verify } = await session.negotiate(new URL(request.url).hostname);
      const authorized = await send({ ...request, negotiate: token }, options);
      if (authorized.kind === "failed" || authorized.reply.status === 401) return authorized;
      const proof = negotiateTokenIn(authorized.reply.challenge);
      if (proof !== undefined) await verify(proof);
      return authorized;
    } finally {
      session.close();
    }
  };
}
