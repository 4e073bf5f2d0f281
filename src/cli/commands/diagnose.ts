import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import { diagnosisJson } from "../../diagnosis/diagnosis-json.ts";
import type { ObservedRun } from "../../diagnosis/record.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { orRunningCluster } from "../default-master.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseOptions } from "../parse-options.ts";
import { printDiagnosis, printDiagnosisJson } from "../print-diagnosis.ts";
import { withRunningCluster } from "../with-running-cluster.ts";
import { driverIdUsage, parseTarget, targetUsage } from "./operation-target.ts";

const diagnoseUsage = `Usage: firesteel diagnose ID [options]
       firesteel diagnose BUNDLE [--json]
       firesteel diagnose --record FILE [options]

Find out why a Spark driver does not start, failed or hangs. The driver runs or has ended in a cluster, is in a bundle of
firesteel bundle or spark.firesteel.archive (a path with a slash, or an archive .tar.gz), or was recorded.

Options:
  --json                  one JSON object: cause, terminal, message, nextStep, key, evidence; without a problem, the
                          cause is none
  --record FILE           record of a submission: JSON with its pods, events and logs over time
  --at MS                 time in the record, in ms after its start (default: its end)
  --timeline              each change of the diagnosis in the record, as a line of JSON with its time in ms
${targetUsage}${driverIdUsage}
The exit code is 0 for every diagnosis, whatever the cause.
`;

/** Runs `firesteel diagnose`. @returns the exit code */
export async function runDiagnoseCommand(
  host: Host,
  args: readonly string[],
  openClient?: OpenClient,
): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(diagnoseUsage);
    return exitCodes.ok;
  }
  if (args.some((arg) => /^--record(=|$)/.test(arg))) return diagnoseRecord(host, args);
  // A bundle has no other options. An ID can come after the value of an option, such as a file.
  const others = args.filter((arg) => arg !== "--json");
  const [path] = others;
  if (others.length === 1 && path !== undefined && !path.startsWith("-")) {
    const { isBundlePath } = await import("../../masters/kubernetes/archive/read-bundle.ts");
    if (isBundlePath(host.files, path)) return diagnoseBundle(host, { path, isJson: args.includes("--json") });
  }
  return diagnoseLive(host, args, openClient);
}

async function diagnoseBundle(
  host: Host,
  { path, isJson }: { readonly path: string; readonly isJson: boolean },
): Promise<number> {
  const { readBundleRecord } = await import("../../masters/kubernetes/archive/read-bundle.ts");
  const { readRecord } = await import("../../diagnosis/record.ts");
  const { diagnose } = await import("../../diagnosis/diagnose.ts");
  const run = orThrow(readRecord(await readBundleRecord(host.files, path), path));
  const diagnosis = withRecordError(path, () => diagnose(run.at(run.endMs)));
  host.stdout.write(isJson ? printDiagnosisJson(diagnosis) : printDiagnosis(diagnosis));
  return exitCodes.ok;
}

async function diagnoseLive(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  const { id, rest, has } = parseTarget(args, { flags: ["--json"] });
  if (id === undefined) throw submitError("SUBMIT_ERR_DRIVER_ID_MISSING", { command: "diagnose" });
  const { diagnoseDriver } = await import("../../masters/kubernetes/diagnose-driver.ts");
  const machine = await withLauncherEnvironment(host);
  const commandLine = await orRunningCluster(machine, parseCommandLineSettings(rest));
  const diagnosis = await withRunningCluster(machine, (openEmbedded) =>
    diagnoseDriver({ host: machine, commandLine, id, openClient, openEmbedded }),
  );
  host.stdout.write(has("--json") ? printDiagnosisJson(diagnosis) : printDiagnosis(diagnosis));
  return exitCodes.ok;
}

async function diagnoseRecord(host: Host, args: readonly string[]): Promise<number> {
  const flags = parseOptions(args, {
    flags: ["--json", "--timeline"],
    values: ["--record", "--at"],
    maxPositionals: 0,
  });
  const path = flags.value("--record");
  if (path === undefined) throw submitError("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "--record" });
  const run = await readRun(host, path);
  const { diagnose } = await import("../../diagnosis/diagnose.ts");
  const diagnoseAt = (ms: number) => withRecordError(path, () => diagnose(run.at(ms)));
  if (flags.has("--timeline")) {
    host.stdout.write(printTimeline(run, diagnoseAt));
    return exitCodes.ok;
  }
  const diagnosis = diagnoseAt(timeOf(flags.value("--at"), run));
  host.stdout.write(flags.has("--json") ? printDiagnosisJson(diagnosis) : printDiagnosis(diagnosis));
  return exitCodes.ok;
}

async function readRun(host: Host, path: string): Promise<ObservedRun> {
  const text = readText(host, path);
  const { readRecord } = await import("../../diagnosis/record.ts");
  return orThrow(readRecord(text, path));
}

function readText(host: Host, path: string): string {
  try {
    const text = host.files.readText(path);
    if (text !== undefined) return text;
  } catch (error) {
    const reason = `it cannot be read (${error instanceof Error ? error.message : String(error)})`;
    throw submitError("SUBMIT_ERR_RECORD", { path, reason });
  }
  throw submitError("SUBMIT_ERR_RECORD", { path, reason: "the file does not exist" });
}

/** Calls a function that reads the objects of a record. Their fields are not checked: a record is a developer's tool. */
function withRecordError<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const reason = `one of its objects has a field of the wrong type (${error.message})`;
    throw submitError("SUBMIT_ERR_RECORD", { path, reason }, { cause: error });
  }
}

function timeOf(text: string | undefined, { endMs }: ObservedRun): number {
  if (text === undefined) return endMs;
  if (!/^\d+$/.test(text)) {
    throw submitError("SUBMIT_ERR_ARG_VALUE", {
      option: "--at",
      value: text,
      allowed: "a whole number of ms",
    });
  }
  return Number(text);
}

/** Diagnoses at each change and each second: missing events are evidence, too. */
function printTimeline(run: ObservedRun, diagnose: (ms: number) => Diagnosis | undefined): string {
  const seconds = Array.from({ length: Math.ceil(run.endMs / 1000) }, (_, index) => index * 1000);
  const times = [...new Set([...run.changesMs, ...seconds])].sort((a, b) => a - b);
  let last = "";
  const lines = times.map((ms) => {
    const diagnosis = diagnosisJson(diagnose(ms));
    const found = JSON.stringify(diagnosis);
    const line = found === last ? "" : `${JSON.stringify({ ms, ...diagnosis })}\n`;
    last = found;
    return line;
  });
  return lines.join("");
}
