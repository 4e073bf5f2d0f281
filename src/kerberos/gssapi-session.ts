import { messageOf } from "../errors/message-of.ts";
import type { Host } from "../host/host.ts";
import type { Gssapi } from "../host/node-gssapi.ts";
import { currentPrincipal } from "./current-principal.ts";
import type { KerberosSession, KeytabLogin } from "./kerberos-session.ts";
import { loginError } from "./login-error.ts";

/** Time for an exchange with the KDC. */
const limitMs = 60_000;

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
        const token = await within(host, context.step(""));
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

async function within<T>({ clock }: Host, work: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(limitMs, () => reject(new Error(`No KDC responded within ${limitMs / 1000} s`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
