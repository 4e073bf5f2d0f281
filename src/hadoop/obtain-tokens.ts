import { messageOf } from "../errors/message-of.ts";
import { isSubmitError, orThrow, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { type DelegationToken, parseTokenText, printTokenText } from "../values/delegation-token.ts";
import { isFields } from "../values/fields.ts";
import type { HadoopConf } from "../values/hadoop-conf.ts";
import { type CallHadoop, hadoopCalls, jsonOf } from "./hadoop-call.ts";
import { hdfsAddressOf } from "./name-nodes.ts";
import type { HadoopAccess } from "./open-access.ts";

/** File systems for which tokens are needed. */
interface TokenChoice {
  readonly log: Log;
  readonly conf: HadoopConf;
  readonly access: Pick<HadoopAccess, "user" | "connections">;
  /** URIs. Other schemes than those of HDFS need no tokens. */
  readonly fileSystems: readonly string[];
  /** Principal or user that renews the tokens until their last day. */
  readonly renewer: string;
  /** Hosts whose tokens cannot be renewed. */
  readonly unrenewed: readonly string[];
  /** Services of which there is a token already. */
  readonly known: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** Tokens that were issued for this submission. */
export interface ObtainedTokens {
  /** By service, in the order of the file systems. */
  readonly tokens: ReadonlyMap<string, DelegationToken>;
  /** Cancels the tokens. A failure is ignored: they expire. */
  readonly cancel: () => Promise<void>;
}

const kinds: Readonly<Record<string, string>> = {
  hdfs: "HDFS_DELEGATION_TOKEN",
  webhdfs: "WEBHDFS delegation",
  swebhdfs: "SWEBHDFS delegation",
};

/**
 * Obtains delegation tokens by WebHDFS, one for each HDFS. After a failure, cancels those that it obtained.
 *
 * Rejects with SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_KERBEROS_LOGIN. Source: Spark HadoopFSDelegationTokenProvider; Hadoop WebHDFS,
 * "Delegation Token Operations".
 */
export async function obtainTokens(host: Host, choice: TokenChoice): Promise<ObtainedTokens> {
  const { conf, access, renewer, unrenewed, known, signal } = choice;
  const tokens = new Map<string, DelegationToken>();
  const cancellations: (() => Promise<unknown>)[] = [];
  const cancel = async () => {
    for (const cancelOne of cancellations) await cancelOne().catch(() => {});
  };
  try {
    for (const uri of choice.fileSystems) {
      const scheme = /^(\w+):/.exec(uri)?.[1] ?? "";
      const kind = kinds[scheme];
      if (kind === undefined && scheme !== "viewfs") continue;
      const address = orThrow(hdfsAddressOf(uri, conf));
      const service = await tokenServiceOf(host, address.uri, conf);
      if (tokens.has(service) || known.has(service)) continue;
      const of = { ...address, kind: kind ?? "", service };
      const calls = { host, ...access, servers: address.servers, proxyParameter: "doas", timeoutMs } as const;
      const isRenewed = !unrenewed.includes(new URL(address.uri.replace(/^\w+/, "http")).hostname);
      const issued = await fetchToken(hadoopCalls({ ...calls, signal }), of, isRenewed ? renewer : "");
      cancellations.push(() => cancelToken(hadoopCalls({ ...calls, timeoutMs: cancelTimeoutMs }), address.uri, issued));
      tokens.set(service, { ...issued, kind: of.kind, service });
    }
  } catch (error) {
    await cancel();
    throw error;
  }
  for (const [service, { kind }] of tokens)
    choice.log("INFO", "HadoopFSDelegationTokenProvider", `Obtained a token of ${service} (${kind})`);
  return { tokens, cancel };
}

const timeoutMs = 30_000;
const cancelTimeoutMs = 5_000;
const root = "/webhdfs/v1/";

interface TokenService {
  readonly uri: string;
  readonly kind: string;
  readonly service: string;
}

/** Fetches a token as the server writes it. Older servers ignore `kind` and `service`. */
async function fetchToken(call: CallHadoop, { uri, kind, service }: TokenService, renewer: string) {
  const what = "issue a delegation token of";
  const query = { op: "GETDELEGATIONTOKEN", ...(renewer === "" ? {} : { renewer }), kind, service };
  const response = await call({ method: "GET", path: root, query, what, of: uri });
  const origin = { server: uri, what, of: uri };
  const value = jsonOf(response, origin);
  const token = isFields(value) ? value["Token"] : undefined;
  const text = isFields(token) ? token["urlString"] : undefined;
  try {
    if (typeof text === "string") return parseTokenText(text);
  } catch (error) {
    if (isSubmitError(error)) throw error;
    throw submitError("SUBMIT_ERR_HADOOP_REJECTED", { ...origin, exception: "no token", message: messageOf(error) });
  }
  const message = "the response has no token; a name node without Kerberos issues none";
  throw submitError("SUBMIT_ERR_HADOOP_REJECTED", { ...origin, exception: "no token", message });
}

function cancelToken(call: CallHadoop, uri: string, token: DelegationToken): Promise<unknown> {
  const query = { op: "CANCELDELEGATIONTOKEN", token: printTokenText(token) };
  return call({ method: "PUT", path: root, query, what: "cancel a delegation token of", of: uri });
}

const defaultPorts: Readonly<Record<string, number>> = { hdfs: 8020, webhdfs: 9870, swebhdfs: 9871 };

/**
 * Returns the name under which clients look for the token of a file system: `ha-hdfs:nameservice1`, or `ADDRESS:PORT`.
 *
 * Source: Hadoop HAUtilClient.buildTokenServiceForLogicalUri, SecurityUtil.buildTokenService.
 */
export async function tokenServiceOf({ network }: Host, uri: string, conf: HadoopConf): Promise<string> {
  const [, scheme = "", authority = ""] = /^(\w+):\/\/(.*)$/.exec(uri) ?? [];
  if (conf.getList("dfs.nameservices").includes(authority) && conf.getList(`dfs.ha.namenodes.${authority}`).length > 0)
    return `ha-${scheme}:${authority}`;
  const { hostname, port } = new URL(`tcp://${authority}`);
  const number = port === "" ? defaultPorts[scheme] : port;
  if (!conf.getBoolean("hadoop.security.token.service.use_ip", true)) return `${hostname.toLowerCase()}:${number}`;
  const addresses = await network.lookUp(hostname);
  const address = addresses.find((one) => !one.includes(":")) ?? addresses[0];
  return `${address ?? hostname}:${number}`;
}
