import { messageOf } from "../errors/message-of.ts";
import type { Host } from "../host/host.ts";
import { visibleLine } from "../host/visible-text.ts";
import { type LocalizeConfig, type LocalizeReason, localizeExitCodes } from "../staging-client/localize-config.ts";
import { withoutPasswords } from "../values/redaction.ts";
import { localize } from "./localize.ts";
import { LocalizeError } from "./localize-error.ts";
import type { LocalizeRun } from "./localize-run.ts";
import { parseLocalizeConfig } from "./parse-config.ts";
import { readSecretFiles } from "./secret-files.ts";

const usage = `Usage: spark-init-container [--termination-log FILE] CONFIG.json

Downloads the files of a Spark application into its pod as CONFIG.json specifies, then exits.
`;

const defaultTerminationLog = "/dev/termination-log";
const defaultTimeoutSeconds = 300;

/** Runs the init container. Returns its exit code, see `localizeExitCodes`. */
export async function runInitContainer(host: Host): Promise<number> {
  const args = parseArguments(host.argv);
  if (args.isHelpRequest) {
    host.stdout.write(usage);
    return 0;
  }
  const ending = new AbortController();
  const stop = () => ending.abort(new LocalizeError("stopped", "A signal stopped the init container"));
  const releases = [host.onSignal("SIGTERM", stop), host.onSignal("SIGINT", stop)];
  try {
    if (args.config === undefined)
      throw new LocalizeError("badConfig", `The configuration file is not specified. ${usage}`);
    await localizeConfigured(host, args.config, ending);
    return localizeExitCodes.done;
  } catch (error) {
    const reason = reasonOf(error);
    writeReason(host, args.terminationLog, reason);
    return localizeExitCodes[reason.code];
  } finally {
    for (const release of releases) release();
  }
}

interface Arguments {
  readonly config: string | undefined;
  readonly terminationLog: string;
  readonly isHelpRequest: boolean;
}

function parseArguments(argv: readonly string[]): Arguments {
  const at = argv.indexOf("--termination-log");
  const rest = at < 0 ? argv : argv.toSpliced(at, 2);
  return {
    config: rest.length === 1 ? rest[0] : undefined,
    terminationLog: (at < 0 ? undefined : argv[at + 1]) ?? defaultTerminationLog,
    isHelpRequest: rest.includes("--help"),
  };
}

async function localizeConfigured(host: Host, path: string, ending: AbortController): Promise<void> {
  const config = readConfig(host, path);
  const { secrets, problems } = readSecretFiles(host.files, config);
  throwProblems(path, problems);
  const log = (text: string) => host.stdout.write(`${visibleLine(withoutPasswords(text))}\n`);
  const run: LocalizeRun = { host, signal: ending.signal, log, problem: {} };
  const { timeoutSeconds = defaultTimeoutSeconds } = config;
  const cancel = host.clock.after(timeoutSeconds * 1000, () => {
    const last = run.problem.last === undefined ? "" : `; last error: ${run.problem.last.message}`;
    ending.abort(new LocalizeError("network", `Timed out after ${timeoutSeconds} s${last}`));
  });
  try {
    const start = host.clock.monotonic();
    const { files, bytes } = await localize(run, config, secrets);
    const seconds = ((host.clock.monotonic() - start) / 1000).toFixed(1);
    log(`${files} files of ${bytes} bytes are in ${config.directory} after ${seconds} s`);
  } finally {
    cancel();
  }
}

function readConfig({ files }: Host, path: string): LocalizeConfig {
  let text: string | undefined;
  try {
    text = files.readText(path);
  } catch (error) {
    throw new LocalizeError("badConfig", `${path} cannot be read: ${messageOf(error)}`);
  }
  if (text === undefined) throw new LocalizeError("badConfig", `${path} does not exist`);
  const { config, problems } = parseLocalizeConfig(text);
  if (config !== undefined) return config;
  throwProblems(path, problems);
  throw new Error("a rejected configuration must have problems");
}

function throwProblems(path: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new LocalizeError("badConfig", `${path}: ${problems.join("; ")}`);
}

function reasonOf(error: unknown): LocalizeReason {
  if (!(error instanceof LocalizeError)) return { code: "badConfig", message: messageOf(error) };
  const { code, message, entry } = error;
  return { code, message: withoutPasswords(message), ...(entry === undefined ? {} : { entry }) };
}

/** The kubelet copies at most 4096 bytes of the file to the container's termination message. */
const maxMessageLength = 3000;

function writeReason({ files, stderr }: Host, path: string, reason: LocalizeReason): void {
  const message = reason.message.slice(0, maxMessageLength);
  const line = JSON.stringify({ ...reason, message });
  stderr.write(`${line}\n`);
  try {
    // The kubelet creates the file. If it does not exist, do not write to its directory.
    if (files.info(path)?.kind === "file") files.write(path, line);
  } catch {
    // The reason is also on stderr.
  }
}
