import { type ApplicationRun, findOwnDriver, submitRun } from "../../applications/application-run.ts";
import type { AppliedApplication } from "../../applications/applied-application.ts";
import { deleteRun } from "../../applications/delete-run.ts";
import { type DriverRecord, driverRecord } from "../../applications/driver-record.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Pod } from "../../kube/types.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { KubernetesOutcome } from "../../masters/submit-outcome.ts";
import type { ApplicationStatus } from "../../spark-application/state/status.ts";
import { type FileArguments, fileUsage, parseFileArguments } from "../applications/cluster-options.ts";
import { loadFiles } from "../applications/load-files.ts";
import { withRun } from "../applications/with-run.ts";
import { exitCodeOf, exitCodeOfError, exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { printError } from "../print.ts";
import { printOutcome } from "../print-outcome.ts";

const usage = `Usage: firesteel apply -f FILE [options]

Submit the applications of a file: SparkApplications (sparkoperator.k8s.io/v1beta2), or applications in Firesteel's own
format. No operator is needed. An application is not submitted again until its file, its settings or a local file
that it names changes; then its driver is deleted and it is submitted again, as the Spark operator does. With
mode: client, the driver runs each time, in a JVM of this machine.

Options:
  --wait                  wait for the drivers, and exit with the exit code of the first one that fails
  --watch                 wait, and repeat runs as restartPolicy says; run a ScheduledSparkApplication at its times
  --json                  one line of JSON for each application
${fileUsage}`;

const flags = ["--wait", "--watch", "--json"] as const;
type Arguments = FileArguments<(typeof flags)[number]>;

/** Runs `firesteel apply`. @returns the exit code */
export async function runApplyCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const parsed = parseFileArguments(args, { command: "apply", flags });
  if (parsed.has("--wait") && parsed.has("--watch"))
    throw submitError("SUBMIT_ERR_OPTIONS_EXCLUSIVE", { first: "--wait", second: "--watch" });
  const loaded = await loadFiles(host, parsed);
  const schedule = loaded.find((each) => each.kind === "schedule");
  if (schedule !== undefined && !parsed.has("--watch")) (await import("./apply-schedule.ts")).requireWatch(schedule);
  const codes = await Promise.all(
    loaded.map((each) =>
      codeOf(host, async () => {
        if (each.kind === "application") return applyOne({ host, parsed, application: each, openClient });
        return (await import("./apply-schedule.ts")).applySchedule({ host, parsed, openClient }, each);
      }),
    ),
  );
  return codes.find((code) => code !== exitCodes.ok) ?? exitCodes.ok;
}

/** Reports a failure of one application immediately: the others continue, and can take days. @returns the exit code */
async function codeOf(host: Host, apply: () => Promise<number>): Promise<number> {
  try {
    return await apply();
  } catch (error) {
    host.stderr.write(printError(error, { form: "errorAndHint" }));
    return exitCodeOfError(error);
  }
}

interface ApplyCall {
  readonly host: Host;
  readonly parsed: Arguments;
  readonly application: AppliedApplication;
  readonly openClient: OpenClient | undefined;
}

async function applyOne({ host, parsed, application, openClient }: ApplyCall): Promise<number> {
  if (application.deployMode === "client") {
    const { applyClient } = await import("./apply-client.ts");
    return applyClient({ host, parsed, application });
  }
  const { commandLine } = parsed;
  return withRun({ host, application, commandLine, openClient }, (run, opened) =>
    applyRun(run, { parsed, clusterEnds: () => opened()?.location === "inside" }),
  );
}

/** Applies an application to the cluster of its run. @returns the exit code */
export async function applyRun(run: ApplicationRun, shown: Shown): Promise<number> {
  const { application } = run;
  const { has } = shown.parsed;
  const pod = await findOwnDriver(run);
  const record = pod === undefined ? undefined : driverRecord(pod);
  if (application.fields.suspend === true) return suspend(run, shown);
  if (record !== undefined && record.digest !== application.digest) {
    await showChange(run, shown);
    // With --watch, the follower deletes the driver, and repeats that if the API fails.
    if (!has("--watch")) await deleteRun(run);
  }
  const isKept = record !== undefined && record.digest === application.digest;
  if (isKept) report(run, shown, { action: "unchanged", pod });
  if (has("--watch")) return watch(run, shown);
  if (isKept) return isAwaited(run, shown) ? waitForDriver(run, shown) : exitCodes.ok;
  return submit(run, shown);
}

/** Whether to wait for the driver: also if it would end with the cluster of this command. */
function isAwaited({ host }: ApplicationRun, { parsed, clusterEnds }: Shown): boolean {
  if (parsed.has("--wait")) return true;
  if (!clusterEnds()) return false;
  host.stderr.write(`${insideText}\n`);
  return true;
}

const insideText =
  "Waiting for the driver: the embedded cluster runs inside this command and ends with it. " +
  "For one in the background, first run: firesteel cluster start";

/** Options of the output, and the cluster's lifetime. */
interface Shown {
  readonly parsed: Pick<Arguments, "has">;
  /** Whether the cluster runs inside this command and ends with it. */
  readonly clusterEnds: () => boolean;
}

async function suspend(run: ApplicationRun, shown: Shown): Promise<number> {
  await deleteRun(run);
  report(run, shown, { action: "suspended" });
  return exitCodes.ok;
}

/** Shows the differences to the current driver. */
async function showChange(run: ApplicationRun, shown: Shown): Promise<void> {
  const { host } = run;
  if (!shown.parsed.has("--json")) {
    const { changesOf } = await import("../applications/changes.ts");
    host.stdout.write((await changesOf(run)).print());
  }
  report(run, shown, { action: "changed" });
}

async function submit(run: ApplicationRun, shown: Shown): Promise<number> {
  const { digest, name } = run.application;
  const record: DriverRecord = { application: name, digest, submissionAttempts: 1, executionAttempts: 1 };
  const waits = isAwaited(run, shown);
  const outcome = await submitRun(run, { record, waits: waits ? false : undefined });
  if (outcome.podName === undefined) return outcome.end.exitCode;
  report(run, shown, { action: "created" });
  return waits ? waitForDriver(run, shown) : finish(run, shown, outcome);
}

async function waitForDriver(run: ApplicationRun, shown: Shown): Promise<number> {
  const { attachRun } = await import("../../applications/attach-run.ts");
  return finish(run, shown, await attachRun(run));
}

async function watch(run: ApplicationRun, shown: Shown): Promise<number> {
  const { followApplication } = await import("../../applications/follow-application.ts");
  const { host, application } = run;
  let failure: unknown;
  const { status, outcome, interruptedBy } = await followApplication(run, {
    onState: (text) => host.stderr.write(`${text}\n`),
    onOutcome: (end) => printEnd(run, shown, end),
    onFailure(error) {
      failure = error;
      host.stderr.write(printError(error, { form: "errorAndHint" }));
    },
  });
  if (interruptedBy !== undefined) {
    if (outcome?.end.kind !== "interrupted") host.stderr.write(interruptedText(application, status));
    return exitCodes[interruptedBy];
  }
  report(run, shown, { action: status.state.toLowerCase() });
  if (status.state !== "FAILED") return exitCodes.ok;
  if (outcome !== undefined) return exitCodeOf(outcome) || exitCodes.failed;
  if (failure !== undefined) return exitCodeOfError(failure);
  host.stderr.write(`Error: ${application.name}: ${status.errorMessage ?? "it failed"}\n`);
  return exitCodes.failed;
}

function interruptedText({ name, file }: AppliedApplication, { state }: ApplicationStatus): string {
  return `Interrupted; ${name} is ${state}.\nHint: Continue: firesteel apply -f ${file} --watch\n`;
}

function finish(run: ApplicationRun, shown: Shown, outcome: KubernetesOutcome): number {
  printEnd(run, shown, outcome);
  return exitCodeOf(outcome);
}

function printEnd({ host }: ApplicationRun, { clusterEnds }: Shown, outcome: KubernetesOutcome): void {
  if (outcome.end.kind === "succeeded" || outcome.end.kind === "notAwaited") return;
  host.stderr.write(printOutcome(outcome, { clusterEnds: clusterEnds() }));
}

interface Applied {
  readonly action: string;
  readonly pod?: Pod | undefined;
}

function report({ host, application }: ApplicationRun, { parsed }: Shown, { action, pod }: Applied): void {
  const { file, name, namespace, podName } = application;
  const driver = `${namespace}:${podName}`;
  const phase = pod?.status?.phase;
  if (parsed.has("--json")) {
    host.stdout.write(`${JSON.stringify({ application: name, action, driver, ...(phase && { phase }) })}\n`);
    return;
  }
  const state = phase === undefined ? "" : `: driver ${driver} is ${phase}`;
  host.stdout.write(`${file}: ${name} ${action}${state}\n`);
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  if (hasEnded && !parsed.has("--watch"))
    host.stderr.write(`To run it again, first run: firesteel delete -f ${file}\n`);
}
