import { messageOf } from "../errors/message-of.ts";
import type { Host } from "../host/host.ts";
import type { Gssapi } from "../host/node-gssapi.ts";
import { withinTime } from "../host/within-time.ts";
import { currentPrincipal } from "./current-principal.ts";
import type { KerberosSession, KeytabLogin } from "./kerberos-session.ts";
import { loginError } from "./login-error.ts";

/** Time for an exchange with the KDC. */
const limitMs = 60_000;
const kdcMessage = `No KDC responded within ${limitMs / 1000} s`;

/** Opens a session by GSSAPI. A keytab needs no program: libkrb5 gets the tickets itself. Rejects with SUBMIT_ERR_KERBEROS_LOGIN. */
export async function gssapiSession(
  host: Host,
  gssapi: Gssapi,
  login: KeytabLogin | undefined,
): Promise<KerberosSession> {
  if (login !== undefined) gssapi.useKeytab(login.keytab);
  const principal = login?.principal ?? (await currentPrincipal(host));
  return {
    principal,
    async negotiate(hostName) {
      const of = `${principal} at ${hostName}`;
      try {
        // Without a keytab, a principal would hide why the tickets are not valid.
        const context = await gssapi.open(`HTTP@${hostName}`, login?.principal);
        const token = await withinTime(host.clock, context.step(""), { limitMs, message: kdcMessage });
        return {
          token,
          async verify(response) {
            try {
              await context.step(response);
            } catch (error) {
              throw loginError(of, `the server did not prove its identity: ${messageOf(error)}`, error);
            }
          },
        };
      } catch (error) {
        throw loginError(of, messageOf(error), error);
      }
    },
    close: () => {},
  };
}
