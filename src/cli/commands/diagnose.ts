import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { ObservedRun } from "../../diagnosis/record.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/kubernetes/connect-over-network.ts";
import { withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { isHelpRequest, parseOptions } from "../parse-options.ts";
import { diagnosisJson, printDiagnosis, printDiagnosisJson } from "../print-diagnosis.ts";
import { parseTarget, targetUsage } from "./operation-target.ts";

/** What `firesteel diagnose --help` shows. */
const diagnoseUsage = `Usage: firesteel diagnose ID [options]
       firesteel diagnose --record FILE [options]

Says why a Spark driver does not start, ended badly or hangs: a driver that runs or has ended in a cluster, or a record
of what was seen of one.

Options:
  --json                  one JSON object: cause, terminal, message, nextStep, key, evidence; the cause none where
                          nothing is wrong
  --record FILE           a record: JSON with the pods, events and logs of a submission over time
  --at MS                 of a record: what was known at a moment, in ms after its start (default: its end)
  --timeline              of a record: each change of the diagnosis as a line of JSON, with its ms
${targetUsage}
Ends with 0 where it could diagnose, whatever the cause.
`;

/** `firesteel diagnose …`: gives the exit code. */
export async function runDiagnoseCommand(
  host: Host,
  args: readonly string[],
  openClient?: OpenClient,
): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(diagnoseUsage);
    return exitCodes.ok;
  }
  const isRecorded = args.some((word) => /^--record(=|$)/.test(word));
  return isRecorded ? diagnoseRecord(host, args) : diagnoseLive(host, args, openClient);
}

async function diagnoseLive(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  const { id, rest, has } = parseTarget(args, { flags: ["--json"] });
  if (id === undefined) throw submitError("SUBMIT_ERR_DRIVER_ID_MISSING", { command: "diagnose" });
  const given = parseCommandLineSettings(rest);
  const { diagnoseDriver } = await import("../../masters/kubernetes/diagnose-driver.ts");
  const machine = await withLauncherEnvironment(host);
  const diagnosis = await withEmbedded(machine, (openEmbedded) =>
    diagnoseDriver({ host: machine, given, id, openClient, openEmbedded }),
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
  if (flags.has("--timeline")) {
    host.stdout.write(printTimeline(run, (ms) => diagnose(run.at(ms))));
    return exitCodes.ok;
  }
  const diagnosis = diagnose(run.at(momentOf(flags.value("--at"), run)));
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
  throw submitError("SUBMIT_ERR_RECORD", { path, reason: "there is no such file" });
}

function momentOf(text: string | undefined, { endMs }: ObservedRun): number {
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

/** Silence tells, too: besides each change, each second is looked at. */
function printTimeline(run: ObservedRun, diagnose: (ms: number) => Diagnosis | undefined): string {
  const seconds = Array.from({ length: Math.ceil(run.endMs / 1000) }, (_, index) => index * 1000);
  const moments = [...new Set([...run.changesMs, ...seconds])].sort((a, b) => a - b);
  let last = "";
  const lines = moments.map((ms) => {
    const diagnosis = diagnosisJson(diagnose(ms));
    const found = JSON.stringify(diagnosis);
    const line = found === last ? "" : `${JSON.stringify({ ms, ...diagnosis })}\n`;
    last = found;
    return line;
  });
  return lines.join("");
}
