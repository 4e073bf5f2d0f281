import type { Host } from "../../host/host.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { Account } from "./account.ts";
import type { Identified } from "./identified-user.ts";
import { type Entry, isMapping, parseYaml } from "./kubeconfig-file.ts";
import { readPem } from "./pem.ts";
import { isTokenText } from "./token-text.ts";

/** Credentials that a program returned. */
export interface ExecCredential {
  readonly token?: string | undefined;
  /** PEM. Present if `key` is present. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Ms since 1970. */
  readonly validUntil?: number | undefined;
}

const forbiddenInHeaders = "a line break or another character that HTTP headers do not allow";

/** RFC 3339, as Kubernetes writes times. */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const group = "client.authentication.k8s.io";

/** Returns whether Firesteel supports this version. Kubernetes 1.24 removed v1alpha1. */
export function isExecVersion(apiVersion: string): boolean {
  return [`${group}/v1`, `${group}/v1beta1`].includes(apiVersion);
}

/** Builds the KUBERNETES_EXEC_INFO of a program. Source: Kubernetes, client.authentication.k8s.io/v1, ExecCredential. */
export async function execInfo(
  host: Host,
  plugin: {
    readonly apiVersion: string;
    readonly interactiveMode: string;
    readonly providesCluster: boolean;
  },
  { account, cluster, accountContext }: Identified,
): Promise<string> {
  const { apiVersion, interactiveMode } = plugin;
  const interactive = interactiveMode !== "Never" && host.isInputTerminal;
  const about = plugin.providesCluster
    ? { cluster: await clusterInfo(host, { account, cluster, server: accountContext.server }) }
    : {};
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec: { ...about, interactive } });
}

async function clusterInfo(
  host: Host,
  { account, cluster, server }: { account: Account; cluster: Entry | undefined; server: URL },
) {
  const { serverName, trustsAll, authority = [], proxy } = account;
  const pem = trustsAll ? undefined : readPem(host.files, "certificate authority", authority);
  const config = cluster === undefined ? undefined : await extension(host, cluster);
  return {
    server: server.href.replace(/\/$/, ""),
    ...(serverName === undefined ? {} : { "tls-server-name": serverName }),
    ...(trustsAll ? { "insecure-skip-tls-verify": true } : {}),
    ...(pem === undefined ? {} : { "certificate-authority-data": Buffer.from(pem).toString("base64") }),
    ...(proxy === undefined ? {} : { "proxy-url": proxy }),
    ...(config === undefined ? {} : { config }),
  };
}

/** Reads the cluster's configuration for programs. Parses the file again to keep numbers as numbers. */
async function extension({ files }: Host, cluster: Entry): Promise<unknown> {
  if (cluster.value("extensions") === undefined) return undefined;
  const document = await parseYaml(cluster.path, files.readText(cluster.path) ?? "", "typed");
  const clusters = namedItems(isMapping(document) ? document["clusters"] : undefined);
  const found = clusters.find(({ name }) => name === cluster.name)?.["cluster"];
  const extensions = namedItems(isMapping(found) ? found["extensions"] : undefined);
  return extensions.find(({ name }) => name === `${group}/exec`)?.["extension"];
}

function namedItems(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? value : []).filter(isMapping);
}

/** Result of parsing a program's output: `problem` is a sentence fragment. */
type ParsedCredential =
  | { readonly kind: "credential"; readonly credential: ExecCredential }
  | { readonly kind: "problem"; readonly problem: string; readonly isOtherVersion: boolean };

/** Parses a program's output: JSON or YAML. */
export async function parseExecCredential(text: string, apiVersion: string): Promise<ParsedCredential> {
  const problem = (what: string, isOtherVersion = false): ParsedCredential => ({
    kind: "problem",
    problem: what,
    isOtherVersion,
  });
  const document = await parseOutput(text);
  if (!isMapping(document) || document["kind"] !== "ExecCredential") return problem("gave no ExecCredential");
  const version = textOf(document["apiVersion"]) ?? "(none)";
  if (version !== apiVersion) return problem(`responded with version ${version} instead of ${apiVersion}`, true);
  const status = document["status"];
  if (!isMapping(status)) return problem("gave an ExecCredential without status");
  const token = textOf(status["token"]);
  const certificate = textOf(status["clientCertificateData"]);
  const key = textOf(status["clientKeyData"]);
  if ((certificate === undefined) !== (key === undefined)) return problem("gave only one of certificate and key");
  if (token === undefined && key === undefined) return problem("gave neither token nor certificate");
  const headerToken = token?.trim();
  if (headerToken !== undefined && !isTokenText(headerToken)) return problem(`gave a token with ${forbiddenInHeaders}`);
  if ([certificate, key].some((pem) => pem?.includes("-----BEGIN ") === false)) {
    return problem("gave a certificate or key that is not PEM");
  }
  const end = status["expirationTimestamp"];
  const validUntil = typeof end === "string" && dateTime.test(end) ? Date.parse(end) : Number.NaN;
  const hasEnd = end !== undefined && end !== null && end !== "";
  if (hasEnd && Number.isNaN(validUntil)) {
    return problem(`gave an expirationTimestamp that is not a time: ${visibleLine(String(end)).slice(0, 100)}`);
  }
  const credential = { token: headerToken, certificate, key, validUntil: hasEnd ? validUntil : undefined };
  return { kind: "credential", credential };
}

async function parseOutput(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml("", text, "untyped").catch(() => undefined);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
