import { tokenFileSystems, tokenServiceEnabled, unrenewedFileSystems } from "../../conf/entries/delegation-tokens.ts";
import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { HadoopServers } from "../../hadoop/hadoop-call.ts";
import { obtainTokens } from "../../hadoop/obtain-tokens.ts";
import { isSecure } from "../../hadoop/security.ts";
import type { WebHdfs } from "../../hadoop/webhdfs.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { type HadoopCredentials, parseTokenStorage } from "../../values/delegation-token.ts";
import type { LocalYarnFacts } from "./read-yarn-facts.ts";

/** Submission that needs tokens. */
interface TokenCall extends Pick<HadoopServers, "user" | "connections" | "signal" | "servers"> {
  readonly host: Host;
  readonly log: Log;
  readonly request: Pick<ApplicationRequest, "conf">;
  readonly facts: Pick<LocalYarnFacts, "hadoop">;
}

/** Tokens for the containers of an application. */
export interface ContainerTokens {
  readonly credentials: HadoopCredentials;
  /** Cancels the tokens that were obtained for it. */
  readonly cancel: () => Promise<void>;
}

/**
 * Obtains the delegation tokens with which containers read and write HDFS. YARN renews them, and cancels them at the end.
 *
 * Source: Spark yarn.Client.setupSecurityToken, HadoopFSDelegationTokenProvider.
 *
 * @throws SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_KERBEROS_…
 */
export async function obtainContainerTokens(call: TokenCall, staging: Pick<WebHdfs, "uri">): Promise<ContainerTokens> {
  const { host, log, request, facts, user, connections, signal } = call;
  const { conf } = request;
  const { hadoop } = facts;
  const existing = userCredentials(call);
  if (!isSecure(hadoop) || !conf.get(tokenServiceEnabled("hadoopfs")))
    return { credentials: existing, cancel: async () => {} };
  const obtained = await obtainTokens(host, {
    ...{ log, conf: hadoop, access: { user, connections }, signal },
    fileSystems: [...conf.get(tokenFileSystems), staging.uri],
    renewer: renewerOf(call),
    unrenewed: conf.get(unrenewedFileSystems),
    known: new Set(existing.tokens.keys()),
  });
  const tokens = new Map([...existing.tokens, ...obtained.tokens]);
  return { credentials: { tokens, secrets: existing.secrets }, cancel: obtained.cancel };
}

/** Returns the ResourceManager's principal, in which `_HOST` stands for its host. Source: Hadoop SecurityUtil.getServerPrincipal. */
function renewerOf({ facts, servers }: TokenCall): string {
  const principal = facts.hadoop.get("yarn.resourcemanager.principal");
  if (principal === undefined) throw submitError("SUBMIT_ERR_KERBEROS_RENEWER", {});
  return principal.replace(/(?<=\/)_HOST(?=@|$)/, new URL(servers[0] ?? "http://localhost").hostname);
}

const none: HadoopCredentials = { tokens: new Map(), secrets: new Map() };

/** Returns the tokens of HADOOP_TOKEN_FILE_LOCATION. Hadoop continues without a file that it cannot read, too. */
function userCredentials({ host, log }: TokenCall): HadoopCredentials {
  const path = host.env["HADOOP_TOKEN_FILE_LOCATION"];
  if (path === undefined || path === "") return none;
  try {
    const bytes = host.files.readBytes(path);
    if (bytes !== undefined) return parseTokenStorage(bytes);
    log("WARN", "Client", `Token file ${path} does not exist`);
  } catch (error) {
    log("WARN", "Client", `Cannot read the token file ${path}: ${messageOf(error)}`);
  }
  return none;
}
