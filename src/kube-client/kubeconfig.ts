import { delimiter, dirname, resolve } from "node:path";
import { messageOf, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { Account } from "./auth/account.ts";
import type { PemSource } from "./auth/pem.ts";
import { type Entry, type KubeconfigFile, parseKubeconfig } from "./kubeconfig-file.ts";

/** Which context of which files is meant. */
export interface KubeconfigOptions {
  /** @default the current context */
  readonly context?: string | undefined;
  /** Several files in KUBECONFIG are merged, the first wins; else only the first is read. */
  readonly mergesFiles: boolean;
  /** An unknown context stands for the current one; else for none at all. */
  readonly unknownContextFallsBack: boolean;
  readonly log: Log;
}

/**
 * What the user's kubeconfig says about access: KUBECONFIG, else `~/.kube/config`. `undefined` without such a file.
 *
 * Source: Kubernetes, "Organizing Cluster Access Using kubeconfig Files"; Spark's Kubernetes client library for what it
 * leaves out: `tokenFile` and `as` are not read.
 *
 * @throws SUBMIT_ERR_KUBE_CONFIG, SUBMIT_ERR_KUBE_AUTH_EXEC
 */
export async function readKubeconfig(host: Host, options: KubeconfigOptions): Promise<Account | undefined> {
  const files: KubeconfigFile[] = [];
  for (const path of kubeconfigPaths(host, options)) {
    const text = readFile(host, path);
    if (text.trim() !== "") files.push(await parseKubeconfig(resolve(host.cwd, path), text));
  }
  if (files.length === 0) return undefined;
  const find = (list: "contexts" | "clusters" | "users", name: string | undefined) =>
    files.flatMap((file) => file[list]).find((entry) => entry.name === name);
  const asked = isGiven(options.context) ? [options.context] : [];
  const currents = files.map((file) => file.currentContext).filter(isGiven);
  const names = asked.length > 0 && !options.unknownContextFallsBack ? asked : [...asked, ...currents];
  const context = names.map((name) => find("contexts", name)).find((entry) => entry !== undefined);
  if (context === undefined) return {};
  return {
    namespace: context.text("namespace"),
    ...fromCluster(find("clusters", context.text("cluster"))),
    ...fromUser(find("users", context.text("user"))),
  };
}

function kubeconfigPaths({ env, user }: Host, { mergesFiles, log }: KubeconfigOptions): readonly string[] {
  const paths = (env["KUBECONFIG"] ?? "").split(delimiter).filter(isGiven);
  if (paths.length === 0) return [`${user.home}/.kube/config`];
  const [first = ""] = paths;
  if (mergesFiles || paths.length === 1) return paths;
  const advice =
    "please change it by doing `export KUBECONFIG=/path/to/kubeconfig` on Unix systems or `$Env:KUBECONFIG=/path/to/kubeconfig` on Windows.";
  const found = `Found multiple Kubernetes config files [[${paths.join(", ")}]], using the first one: [${first}].`;
  log("WARN", "Config", `${found} If not desired file, ${advice}`);
  return [first];
}

function readFile({ files }: Host, path: string): string {
  try {
    return files.readText(path) ?? "";
  } catch (error) {
    const reason = messageOf(error);
    throw submitError("SUBMIT_ERR_KUBE_CONFIG", { path, reason }, { cause: error });
  }
}

function fromCluster(cluster: Entry | undefined): Account {
  if (cluster === undefined) return {};
  return {
    authority: [pemSource(cluster, "certificate-authority")],
    trustsAll: cluster.text("insecure-skip-tls-verify") === "true",
    serverName: cluster.text("tls-server-name"),
    proxy: cluster.text("proxy-url"),
  };
}

function fromUser(user: Entry | undefined): Account {
  if (user === undefined) return {};
  const name = user.text("username");
  const token = user.text("token") ?? providedToken(user);
  const command = user.child("exec")?.text("command");
  if (command !== undefined && !isGiven(token) && !isGiven(name)) {
    throw submitError("SUBMIT_ERR_KUBE_AUTH_EXEC", { user: user.name, command });
  }
  return {
    certificate: [pemSource(user, "client-certificate")],
    key: [pemSource(user, "client-key")],
    token,
    basic: isGiven(name) ? { user: name, password: user.text("password") ?? "" } : undefined,
  };
}

/** The token that kubectl or a cloud's tool left in the file for an auth-provider. */
function providedToken(user: Entry): string | undefined {
  const config = user.child("auth-provider")?.child("config");
  return config?.text("access-token") ?? config?.text("id-token");
}

function pemSource(entry: Entry, key: string): PemSource {
  const file = entry.text(key);
  return {
    data: entry.text(`${key}-data`),
    file: isGiven(file) ? resolve(dirname(entry.path), file) : undefined,
  };
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
