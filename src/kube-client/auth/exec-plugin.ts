import { dirname, join, resolve } from "node:path";
import { type SubmitError, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { visibleText } from "../../host/visible-text.ts";
import type { Account } from "./account.ts";
import { type ExecCredential, execInfo, isExecVersion, parseExecCredential } from "./exec-credential.ts";
import type { Identified } from "./identified-user.ts";
import type { Entry } from "./kubeconfig-file.ts";
import { runProgram } from "./run-program.ts";
import type { UserAccess } from "./user-access.ts";

/** A program that gives credentials, as a kubeconfig's user names it. */
interface ExecPlugin {
  readonly user: string;
  /** As written in the kubeconfig. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly interactiveMode: string;
  readonly providesCluster: boolean;
  readonly installHint: string;
  /** Directory of the kubeconfig, for relative commands. */
  readonly directory: string;
}

/** Credentials that programs returned, cached in memory only: on disk they would be another secret to protect. */
const remembered = new WeakMap<Host, Map<string, Promise<ExecCredential>>>();

/**
 * Completes an account with the credentials of a kubeconfig's program. Runs the program once, and again when the credentials
 * expire or the API rejects them.
 *
 * Source: Kubernetes, "client-go credential plugins".
 *
 * @throws SUBMIT_ERR_KUBE_AUTH_EXEC
 */
export async function runExecPlugin(
  host: Host,
  { behaviors, traits }: UserAccess,
  identified: Identified,
  exec: Entry,
): Promise<Account> {
  const { account, accountContext } = identified;
  const plugin = parsePlugin(exec);
  try {
    const { token, certificate, key, validUntil } = await credentialOf(host, plugin, identified);
    if (certificate === undefined) return { ...account, token, validUntil };
    return {
      ...account,
      token,
      validUntil,
      certificate: [{ data: certificate }],
      key: [{ data: key }],
      keyPassphrase: undefined,
    };
  } catch (error) {
    const isPassedOver = isOtherVersion(error) || !traits.failingExecPluginStops;
    if (behaviors.credentialErrors === "reject" || !isPassedOver) throw error;
    accountContext.log("WARN", "KubeConfigUtils", error instanceof Error ? error.message : String(error));
    return account;
  }
}

async function credentialOf(host: Host, plugin: ExecPlugin, identified: Identified): Promise<ExecCredential> {
  const { refused, log } = identified.accountContext;
  const info = await execInfo(host, plugin, identified);
  const known = remembered.get(host) ?? new Map<string, Promise<ExecCredential>>();
  remembered.set(host, known);
  const name = JSON.stringify([plugin, info]);
  const last = await known.get(name)?.catch(() => undefined);
  const isRefused = refused !== undefined && last !== undefined && isFrom(refused, last);
  const hasExpired = last?.validUntil !== undefined && last.validUntil <= host.clock.now();
  if (last !== undefined && !isRefused && !hasExpired) return last;
  const running = run(host, plugin, { info, log });
  known.set(name, running);
  running.catch(() => known.delete(name));
  return running;
}

function isFrom({ token, certificate = [] }: Account, credential: ExecCredential): boolean {
  return token === credential.token && certificate[0]?.data === credential.certificate;
}

interface RunRequest {
  /** Content of KUBERNETES_EXEC_INFO. */
  readonly info: string;
  readonly log: Log;
}

// A user may have to log in first, perhaps in a browser.
const limitMs = 60_000;
const interactiveLimitMs = 300_000;

async function run(host: Host, plugin: ExecPlugin, { info, log }: RunRequest): Promise<ExecCredential> {
  const { interactiveMode, apiVersion, args } = plugin;
  if (!isExecVersion(apiVersion)) throw refuse(plugin, unknownVersion(apiVersion), newerPlugin);
  if (!["Never", "IfAvailable", "Always"].includes(interactiveMode)) {
    const modes = "interactiveMode is Never, IfAvailable or Always";
    throw refuse(plugin, `is asked with the unknown interactiveMode ${interactiveMode}`, `${modes}.`);
  }
  if (interactiveMode === "Always" && !host.isInputTerminal) {
    const advice = "Run this in a terminal, or log in there first and give the user a token.";
    throw refuse(plugin, "wants to ask a person, and stdin is not a terminal", advice);
  }
  const path = findCommand(host, plugin);
  if (path === undefined) throw notFound(host, plugin);
  const isInteractive = interactiveMode !== "Never" && host.isInputTerminal;
  const env = { ...host.env, ...plugin.env, KUBERNETES_EXEC_INFO: info };
  const secrets = Object.values(plugin.env);
  const ended = await runProgram(host, {
    ...{ path, args, env, secrets, isInteractive },
    limitMs: isInteractive || host.stderr.isTerminal ? interactiveLimitMs : limitMs,
  });
  if (ended.kind === "failed") throw refuse(plugin, ended.problem, runItYourself);
  const parsed = await parseExecCredential(ended.output, apiVersion);
  if (parsed.kind === "credential") {
    const { validUntil } = parsed.credential;
    if (validUntil !== undefined && validUntil <= host.clock.now()) {
      const end = new Date(validUntil).toISOString();
      log(
        "WARN",
        "KubernetesClient",
        `The credential plugin ${plugin.command} gave a credential that expired at ${end}.`,
      );
    }
    return parsed.credential;
  }
  throw refuse(plugin, parsed.problem, parsed.isOtherVersion ? newerPlugin : runItYourself, parsed);
}

const runItYourself = "Run it yourself to see why; often a login has to be renewed.";
const newerPlugin = "Use a newer version of the program, and let the tool that wrote the kubeconfig write it again.";

function unknownVersion(apiVersion: string): string {
  const known = "client.authentication.k8s.io/v1 and v1beta1 are known";
  return `is asked in the version ${apiVersion === "" ? "(none)" : apiVersion} (${known})`;
}

/** Distinguishes a file that cannot be executed from one that does not exist. */
function notFound({ files }: Host, plugin: ExecPlugin): SubmitError {
  const path = plugin.command.includes("/") ? resolve(plugin.directory, plugin.command) : undefined;
  const kind = path === undefined ? undefined : files.info(path)?.kind;
  if (kind === "file") return refuse(plugin, "is not executable", `Make it executable: chmod +x ${path}`);
  if (kind === "directory") return refuse(plugin, "is a directory", "Set command to the program in it.");
  return refuse(plugin, "is not installed", installation(plugin));
}

function installation({ installHint }: ExecPlugin): string {
  return installHint === "" ? "Install it, or put its directory into PATH." : installHint;
}

function refuse(plugin: ExecPlugin, problem: string, advice: string, cause?: unknown): SubmitError {
  const { user, command } = plugin;
  return submitError("SUBMIT_ERR_KUBE_AUTH_EXEC", { user, command, problem, advice }, { cause });
}

function isOtherVersion(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "isOtherVersion" in cause && cause.isOtherVersion === true;
}

/** Finds a command: with a slash, relative to the kubeconfig; else in PATH. */
function findCommand({ env, files, cwd }: Host, { command, directory }: ExecPlugin): string | undefined {
  const isFile = (path: string) => {
    const info = files.info(path);
    return info?.kind === "file" && (info.mode & 0o111) !== 0;
  };
  if (command.includes("/")) {
    const path = resolve(directory, command);
    return isFile(path) ? path : undefined;
  }
  const directories = (env["PATH"] ?? "").split(":").map((name) => resolve(cwd, name));
  return command === "" ? undefined : directories.map((name) => join(name, command)).find(isFile);
}

function parsePlugin(exec: Entry): ExecPlugin {
  const args = exec.value("args");
  const env = exec.value("env");
  const pairs = (Array.isArray(env) ? env : []).flatMap((item: unknown): (readonly [string, string])[] => {
    const { name, value = "" } = toFields(item);
    return typeof name === "string" && typeof value === "string" ? [[name, value]] : [];
  });
  return {
    user: exec.name,
    command: exec.text("command") ?? "",
    args: (Array.isArray(args) ? args : []).filter((item: unknown) => typeof item === "string"),
    env: Object.fromEntries(pairs),
    apiVersion: exec.text("apiVersion") ?? "",
    interactiveMode: exec.text("interactiveMode") ?? "IfAvailable",
    providesCluster: exec.text("provideClusterInfo") === "true",
    installHint: visibleText(exec.text("installHint") ?? "").trim(),
    directory: dirname(exec.path),
  };
}

function toFields(value: unknown): { readonly name?: unknown; readonly value?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}
