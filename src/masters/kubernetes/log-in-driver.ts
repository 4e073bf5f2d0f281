import { tokenFileSystems, tokenServiceEnabled, unrenewedFileSystems } from "../../conf/entries/delegation-tokens.ts";
import {
  hadoopProperties,
  kerberosKeytab,
  kerberosPrincipal,
  kerberosTokenSecretName,
} from "../../conf/entries/hadoop.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import { defaultFileSystem } from "../../hadoop/name-nodes.ts";
import { obtainTokens } from "../../hadoop/obtain-tokens.ts";
import { openAccess, userNameOf } from "../../hadoop/open-access.ts";
import { isSecure } from "../../hadoop/security.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { currentPrincipal } from "../../kerberos/current-principal.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { KerberosFacts } from "../../plan/facts.ts";
import { excludedSteps, stepNames } from "../../plan/feature-steps.ts";
import { unavailableTokenIssues } from "../../resolve/kerberos-issues.ts";
import { submissionHadoopConf } from "../../resolve/submission-hadoop-conf.ts";
import {
  type DelegationToken,
  type HadoopCredentials,
  parseTokenStorage,
  printTokenStorage,
} from "../../values/delegation-token.ts";
import type { HadoopConf } from "../../values/hadoop-conf.ts";

/** Tokens of a driver at their servers. */
export interface DriverTokens {
  /** Cancels those that were obtained for it. */
  readonly cancel: () => Promise<void>;
  /** Closes the connections. */
  readonly close: () => void;
}

/**
 * Logs in, and obtains the tokens that the driver needs; `undefined` without Kerberos or a ticket.
 *
 * @throws SUBMIT_ERR_KERBEROS_…, SUBMIT_ERR_HADOOP_…
 */
export async function logInDriver(
  { host, log }: { readonly host: Host; readonly log: Log },
  driver: DriverConf,
  onObtained: (tokens: DriverTokens) => void,
): Promise<KerberosFacts | undefined> {
  const { conf, proxyUser } = driver;
  const hadoop = submissionHadoopConf(host, conf);
  if (!isSecure(hadoop) || excludedSteps(conf).has(stepNames.kerberos)) return undefined;
  const principal = conf.get(kerberosPrincipal) ?? (await ticketPrincipal(host));
  if (principal === undefined) return undefined;
  const user = proxyUser ?? userNameOf(host, principal, hadoop);
  // Spark prints it without a time. Source: Spark SparkSubmit.setRMPrincipal.
  host.stderr.write(`Setting ${hadoopProperties.prefix}yarn.resourcemanager.principal to ${user}\n`);
  // The driver gets its own tokens with a keytab.
  if (conf.has(kerberosKeytab) || conf.has(kerberosTokenSecretName)) return { userName: user, tokens: undefined };
  throwIssues([...conf.check([tokenFileSystems, unrenewedFileSystems]), ...unavailableTokenIssues(host, conf)]);
  const existing = userCredentials(driver);
  const obtained = await obtainFor({ host, log, hadoop, driver, existing, renewer: user, onObtained });
  const tokens = new Map([...existing.tokens, ...obtained]);
  if (tokens.size + existing.secrets.size === 0) return { userName: user, tokens: undefined };
  return { userName: user, tokens: printTokenStorage({ tokens, secrets: existing.secrets }) };
}

/** Returns the principal of the user's tickets; `undefined` if there are none: the driver may have its own login. */
async function ticketPrincipal(host: Host): Promise<string | undefined> {
  try {
    return await currentPrincipal(host);
  } catch {
    return undefined;
  }
}

interface DriverTokenChoice {
  readonly host: Host;
  readonly log: Log;
  readonly hadoop: HadoopConf;
  readonly driver: DriverConf;
  readonly existing: HadoopCredentials;
  readonly renewer: string;
  readonly onObtained: (tokens: DriverTokens) => void;
}

/** Obtains the tokens that the driver does not have yet, by service. */
async function obtainFor(choice: DriverTokenChoice): Promise<ReadonlyMap<string, DelegationToken>> {
  const { host, log, hadoop, driver, existing, renewer, onObtained } = choice;
  const { conf, proxyUser: proxied } = driver;
  const isNeeded = conf.get(tokenServiceEnabled("hadoopfs"));
  const all = isNeeded ? [...conf.get(tokenFileSystems), defaultFileSystem(hadoop)] : [];
  const fileSystems = all.filter((uri) => !uri.startsWith("file:"));
  if (fileSystems.length === 0) return new Map();
  const access = await openAccess(host, { conf: hadoop, proxied });
  const { close } = access;
  try {
    const known = new Set(existing.tokens.keys());
    const unrenewed = conf.get(unrenewedFileSystems);
    const choices = { log, conf: hadoop, access, fileSystems, renewer, unrenewed, known };
    const { tokens, cancel } = await obtainTokens(host, choices);
    onObtained({ cancel, close });
    return tokens;
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns the tokens of HADOOP_TOKEN_FILE_LOCATION. Another user does not get them. */
function userCredentials({ facts, proxyUser }: DriverConf): HadoopCredentials {
  const bytes = proxyUser === undefined ? facts.kerberos.tokens?.bytes : undefined;
  try {
    if (bytes !== undefined) return parseTokenStorage(bytes);
  } catch {
    // Hadoop continues without a file that it cannot read, too.
  }
  return { tokens: new Map(), secrets: new Map() };
}
