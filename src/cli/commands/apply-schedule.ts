import type { AppliedSchedule } from "../../applications/applied-application.ts";
import { appliedApplication } from "../../applications/applied-application.ts";
import { deleteRun } from "../../applications/delete-run.ts";
import { followSchedule, runOf, scheduledRuns } from "../../applications/follow-schedule.ts";
import { loadOperatorOptions } from "../../applications/load-operator-options.ts";
import { loadSchedule } from "../../applications/load-schedule.ts";
import { submittedApplication } from "../../applications/submitted-application.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { FileArguments } from "../applications/cluster-options.ts";
import { printWarnings } from "../applications/print-warnings.ts";
import { reservedKeysOf } from "../applications/reserved-keys.ts";
import { withRun } from "../applications/with-run.ts";
import { exitCodes } from "../exit-codes.ts";
import { printError } from "../print.ts";

interface ScheduleCall {
  readonly host: Host;
  readonly parsed: Pick<FileArguments<never>, "namespace" | "commandLine" | "value">;
  readonly openClient: OpenClient | undefined;
  /** Connects to the embedded cluster. @default as `withRun` */
  readonly connect?: Parameters<typeof withRun>[0]["connect"];
}

type ScheduleFile = AppliedSchedule & { readonly file: string };

/** Rejects a schedule without `--watch`. @throws SUBMIT_ERR_MANIFEST_RULE */
export function requireWatch({ file, schedule }: ScheduleFile): never {
  const advice =
    "Use apply --watch, which starts its runs until it is interrupted, or let a CronJob run firesteel apply.";
  const problem = `is ${schedule.metadata.name}, a schedule, whose runs only a running process can start`;
  throw submitError("SUBMIT_ERR_MANIFEST_RULE", { file, path: "metadata.name", problem, advice });
}

/** Runs a schedule until an interrupt. @returns the exit code */
export async function applySchedule(call: ScheduleCall, each: ScheduleFile): Promise<number> {
  const { host } = call;
  const { file, schedule } = each;
  const { name } = schedule.metadata;
  if (schedule.spec.template.mode === "client") {
    const problem = "is client, but the runs of a schedule must be pods";
    const advice = "Use cluster, or let cron run firesteel apply with a SparkApplication.";
    throw submitError("SUBMIT_ERR_MANIFEST_RULE", { file, path: "spec.template.mode", problem, advice });
  }
  const signal = await withSchedule(call, each, (run, loaded) =>
    followSchedule(run, loaded, {
      onState: (text) => host.stderr.write(`${file}: ${text}\n`),
      onFailure: (error) => host.stderr.write(printError(error, { form: "errorAndHint" })),
    }),
  );
  if (signal === undefined) return exitCodes.ok;
  host.stderr.write(`Interrupted; ${name} starts no more runs.\nHint: Continue: firesteel apply -f ${file} --watch\n`);
  return exitCodes[signal];
}

/** Deletes all runs of a schedule. @returns whether one existed */
export async function deleteScheduledRuns(call: ScheduleCall, each: ScheduleFile): Promise<boolean> {
  const { host } = call;
  const { file, schedule } = each;
  return withSchedule(call, each, async (run) => {
    const runs = await scheduledRuns(run, schedule);
    for (const { name } of runs) await deleteRun(runOf(run, name));
    const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
    const { name } = schedule.metadata;
    host.stdout.write(`${file}: ${runs.length === 0 ? `no run of ${name} found` : `${count} of ${name} deleted`}\n`);
    return runs.length > 0;
  });
}

type UseSchedule<T> = (
  run: Parameters<typeof followSchedule>[0],
  loaded: Parameters<typeof followSchedule>[1],
) => Promise<T>;

async function withSchedule<T>(call: ScheduleCall, { file, schedule }: ScheduleFile, use: UseSchedule<T>): Promise<T> {
  const { host, parsed, openClient, connect } = call;
  const { namespace, commandLine, value } = parsed;
  const reservedKeys = reservedKeysOf(value("--reserved-keys"));
  const loaded = loadSchedule(file, schedule, { reservedKeys, namespace });
  printWarnings(host, loaded.warnings);
  const options = { options: await loadOperatorOptions(host, value("--operator-options")), reservedKeys, namespace };
  const application = (name: string) => appliedApplication({ file, application: runObject(loaded, name) }, options);
  const first = application(schedule.metadata.name);
  return withRun({ host, application: first, commandLine, openClient, connect }, (run) =>
    use({ ...run, applicationOf: (name) => submittedApplication(run, application(name)) }, loaded),
  );
}

function runObject({ schedule, namespace }: ReturnType<typeof loadSchedule>, name: string) {
  const { apiVersion, metadata, spec } = schedule;
  const { labels = {} } = metadata;
  return {
    apiVersion,
    kind: "SparkApplication" as const,
    metadata: { name, namespace, labels },
    spec: spec.template,
  };
}
