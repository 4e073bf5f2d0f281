import { X509Certificate } from "node:crypto";
import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import { tokenExpiry } from "../../kube-client/auth/token-expiry.ts";
import type { ObservedConnection } from "../fetch/open-observed.ts";
import { type Finding, ok } from "../finding.ts";

/** Credentials that end earlier are reported: a submission waits for its driver. */
const minValidMs = 60 * 60_000;
/** Larger differences make tokens and certificates invalid that were just issued. */
const maxSkewMs = 60_000;

/** Reports why the API cannot be used. */
export function connectionFailure(error: unknown): Finding {
  if (!isSubmitError(error)) throw error;
  const isCredentials = /UNAUTHORIZED|_AUTH_|FORBIDDEN/.test(error.code);
  return {
    check: isCredentials ? "credentials" : "api",
    status: "failure",
    cause: isCredentials ? "unauthorized" : undefined,
    reason: messageOf(error),
    fix: error.issues[0].hint ?? "Check the address of the API, the network and the credentials.",
  };
}

/** Reports the API, and credentials that expire early. */
export function checkConnection(server: string, observed: ObservedConnection, now: number): readonly Finding[] {
  return [ok("api", `${server} responds.`), credentials(observed, now), ...clock(observed)];
}

function credentials({ token, certificate }: ObservedConnection, now: number): Finding {
  const ends = [
    { what: "token", end: token === undefined ? undefined : tokenExpiry(token) },
    { what: "client certificate", end: certificate === undefined ? undefined : endOf(certificate) },
  ].flatMap(({ what, end }) => (end === undefined ? [] : [{ what, end }]));
  const [first] = ends.sort((a, b) => a.end - b.end);
  if (first === undefined) return ok("credentials", "The API accepts the credentials, which name no end.");
  const text = `the ${first.what} is valid until ${new Date(first.end).toISOString()}`;
  if (first.end - now >= minValidMs) return ok("credentials", `The API accepts the credentials; ${text}.`);
  const reason = `The API accepts the credentials, but ${text}: a submission that waits longer loses its connection.`;
  const fix = "Renew the credentials before you submit, unless a program of the kubeconfig renews them.";
  return { check: "credentials", status: "warning", reason, fix };
}

function endOf(certificate: string): number | undefined {
  try {
    const end = Date.parse(new X509Certificate(certificate).validTo);
    return Number.isNaN(end) ? undefined : end;
  } catch {
    return undefined;
  }
}

function clock({ clockSkewMs }: ObservedConnection): readonly Finding[] {
  if (clockSkewMs === undefined) return [];
  const seconds = Math.round(Math.abs(clockSkewMs) / 1000);
  if (Math.abs(clockSkewMs) <= maxSkewMs) return [ok("clock", "The clocks of this machine and the API agree.")];
  const reason = `The clock of this machine is ${seconds} s ${clockSkewMs > 0 ? "behind" : "ahead of"} the API's: tokens and certificates can appear invalid.`;
  return [{ check: "clock", status: "warning", reason, fix: "Synchronize the clocks, for example with NTP." }];
}
