import { delimiter, dirname, resolve } from "node:path";
import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { Account } from "./account.ts";
import { type Entry, type KubeconfigFile, parseKubeconfig } from "./kubeconfig-file.ts";
import type { PemSource } from "./pem.ts";

/** Selection of a context and its files. */
interface KubeconfigOptions {
  /** @default the current context */
  readonly context?: string | undefined;
  /** Several files in KUBECONFIG are merged, the first wins; else only the first is read. */
  readonly mergesFiles: boolean;
  /** `spark`: unknown contexts and users are not reported; see `unknownContextFallsBack`. */
  readonly rules: "kubectl" | "spark";
  /** With `spark` rules, an unknown context means the current one; else no context. */
  readonly unknownContextFallsBack: boolean;
  readonly log: Log;
}

/** A context of a kubeconfig: the data that every submission needs, and the entries with all fields. */
export interface Kubeconfig {
  readonly account: Account;
  readonly cluster?: Entry | undefined;
  readonly user?: Entry | undefined;
}

/**
 * Reads access data from the user's kubeconfig: KUBECONFIG, else `~/.kube/config`. `undefined` without such a file.
 *
 * Source: Kubernetes, "Organizing Cluster Access Using kubeconfig Files"; Spark's Kubernetes client library.
 *
 * @throws SUBMIT_ERR_KUBE_CONFIG, SUBMIT_ERR_KUBE_CONTEXT
 */
export async function readKubeconfig(host: Host, options: KubeconfigOptions): Promise<Kubeconfig | undefined> {
  const files: KubeconfigFile[] = [];
  for (const path of kubeconfigPaths(host, options)) {
    const text = readFile(host, path, options);
    if (text.trim() !== "") files.push(await parseKubeconfig(resolve(host.cwd, path), text));
  }
  if (files.length === 0) return undefined;
  const find: Find = (list, name) => files.flatMap((file) => file[list]).find((entry) => entry.name === name);
  const context = options.rules === "spark" ? findContext(files, find, options) : requireContext(files, find, options);
  if (context === undefined) return { account: {} };
  const cluster = find("clusters", context.text("cluster"));
  const user = find("users", context.text("user"));
  return {
    account: { namespace: context.text("namespace"), ...fromCluster(cluster, options), ...fromUser(user) },
    cluster,
    user,
  };
}

type Find = (list: "contexts" | "clusters" | "users", name: string | undefined) => Entry | undefined;

function currentContexts(files: readonly KubeconfigFile[]): readonly string[] {
  return files.map((file) => file.currentContext).filter(isSpecified);
}

/** Finds the requested context, else the current one. Does not check its cluster and user. */
function findContext(
  files: readonly KubeconfigFile[],
  find: Find,
  { context, unknownContextFallsBack }: KubeconfigOptions,
): Entry | undefined {
  const requested = isSpecified(context) ? [context] : [];
  const names =
    requested.length > 0 && !unknownContextFallsBack ? requested : [...requested, ...currentContexts(files)];
  return names.map((name) => find("contexts", name)).find((entry) => entry !== undefined);
}

/** Finds the requested or current context. Its cluster and user must exist: using another cluster is worse than an error. */
function requireContext(
  files: readonly KubeconfigFile[],
  find: Find,
  { context: requested, log }: KubeconfigOptions,
): Entry | undefined {
  const name = isSpecified(requested) ? requested : currentContexts(files)[0];
  const known = [...new Set(files.flatMap(({ contexts }) => contexts.map((entry) => entry.name)))];
  if (name === undefined) {
    const choice = `choose one with spark.kubernetes.context: ${known.join(", ")}`;
    log("WARN", "Config", `The kubeconfig has no current context, so requests are anonymous; ${choice}.`);
    return undefined;
  }
  const context = find("contexts", name);
  const reject = (missing: string) => submitError("SUBMIT_ERR_KUBE_CONTEXT", { context: name, missing, known });
  if (context === undefined) throw reject("no file has it");
  for (const [list, key] of [
    ["clusters", "cluster"],
    ["users", "user"],
  ] as const) {
    const required = context.text(key);
    if (isSpecified(required) && find(list, required) === undefined) throw reject(`no file has its ${key} ${required}`);
  }
  return context;
}

function kubeconfigPaths({ env, user }: Host, { mergesFiles, log }: KubeconfigOptions): readonly string[] {
  const paths = (env["KUBECONFIG"] ?? "").split(delimiter).filter(isSpecified);
  if (paths.length === 0) return [`${user.home}/.kube/config`];
  const [first = ""] = paths;
  if (mergesFiles || paths.length === 1) return paths;
  const advice =
    "please change it by doing `export KUBECONFIG=/path/to/kubeconfig` on Unix systems or `$Env:KUBECONFIG=/path/to/kubeconfig` on Windows.";
  const found = `Found multiple Kubernetes config files [[${paths.join(", ")}]], using the first one: [${first}].`;
  log("WARN", "Config", `${found} If not desired file, ${advice}`);
  return [first];
}

/** Maximum size of a kubeconfig; those with hundreds of clusters have some MiB. */
const maxFileBytes = 16 * 1024 * 1024;

/** Reads a file. As in Spark, a directory counts as empty. */
function readFile({ files }: Host, path: string, { rules }: KubeconfigOptions): string {
  const info = files.info(path);
  if (rules === "spark" && info?.kind === "directory") return "";
  if (info !== undefined && info.sizeBytes > maxFileBytes) {
    const reason = `it has ${info.sizeBytes} bytes; the maximum is ${maxFileBytes}`;
    throw submitError("SUBMIT_ERR_KUBE_CONFIG", { path, reason });
  }
  try {
    return files.readText(path) ?? "";
  } catch (error) {
    const reason = messageOf(error);
    throw submitError("SUBMIT_ERR_KUBE_CONFIG", { path, reason }, { cause: error });
  }
}

/** Reads the fields of a cluster. Spark's client library ignores `tls-server-name`. */
function fromCluster(cluster: Entry | undefined, { rules }: KubeconfigOptions): Account {
  if (cluster === undefined) return {};
  return {
    authority: [pemSource(cluster, "certificate-authority")],
    trustsAll: cluster.text("insecure-skip-tls-verify") === "true",
    serverName: rules === "spark" ? undefined : cluster.text("tls-server-name"),
    proxy: cluster.text("proxy-url"),
  };
}

function fromUser(user: Entry | undefined): Account {
  if (user === undefined) return {};
  const name = user.text("username");
  return {
    certificate: [pemSource(user, "client-certificate")],
    key: [pemSource(user, "client-key")],
    token: user.text("token"),
    basic: isSpecified(name) ? { user: name, password: user.text("password") ?? "" } : undefined,
  };
}

function pemSource(entry: Entry, key: string): PemSource {
  const file = entry.text(key);
  return {
    data: entry.text(`${key}-data`),
    file: isSpecified(file) ? resolve(dirname(entry.path), file) : undefined,
  };
}

function isSpecified(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
