import { type HadoopAccess, openAccess } from "../../hadoop/open-access.ts";
import { isSecure } from "../../hadoop/security.ts";
import type { Host } from "../../host/host.ts";
import type { HttpConnections } from "../../net/http-connections.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { keytabLogin } from "../../resolve/keytab-login.ts";
import type { LocalYarnFacts } from "./read-yarn-facts.ts";

/** Authentication of a submission, and its facts with the authenticated user. */
export interface YarnAccess extends HadoopAccess {
  readonly facts: LocalYarnFacts;
}

/**
 * Logs in to the cluster if it requires Kerberos: with the keytab of the settings, else with the user's tickets.
 *
 * Rejects as `openAccess`.
 */
export async function openYarnAccess(
  host: Host,
  request: Pick<ApplicationRequest, "conf" | "proxyUser">,
  facts: LocalYarnFacts,
  connections: HttpConnections,
): Promise<YarnAccess> {
  const { conf, proxyUser } = request;
  const login = keytabLogin(host, conf);
  const access = await openAccess(host, { conf: facts.hadoop, connections, login, proxied: proxyUser });
  if (!isSecure(facts.hadoop)) return { ...access, facts };
  // Spark's ACLs name both the user of the operating system and the one of Kerberos.
  return { ...access, facts: { ...facts, userName: host.user.name, runsAs: proxyUser ?? access.user.name } };
}
