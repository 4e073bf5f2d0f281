import { loadSchedule } from "../../applications/load-schedule.ts";
import { readSingleDocument } from "../../applications/read-manifest.ts";
import { issue } from "../../errors/issue.ts";
import { orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { isSchedule, readApplication } from "../../spark-application/read/read-application.ts";
import { printWarnings } from "../applications/print-warnings.ts";
import { reservedKeysOf } from "../applications/reserved-keys.ts";
import { singleFile } from "../applications/single-file.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";

const usage = `Usage: firesteel schedule --file FILE [options]

Print when a ScheduledSparkApplication (sparkoperator.k8s.io/v1beta2) runs. No API is contacted.

Options:
  -f, --file FILE         file of the schedule, in YAML or JSON
  --from TIME             time of its creation, e.g. 2026-11-22T10:07:30Z (default: now)
  --count N               number of times (default: 5)
  --json                  one JSON list
  --reserved-keys MODE    reject, or warn for keys of sparkConf that the operator rejects (default: reject)
`;

const maxCount = 10_000;

/** Runs `firesteel schedule`. @returns the exit code */
export async function runScheduleCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const options = parseOptions(args, {
    flags: ["--json"],
    values: ["-f", "--file", "--from", "--count", "--reserved-keys"],
    maxPositionals: 0,
  });
  const { from, count } = parseRange(host, options.value("--from"), options.value("--count"));
  const file = singleFile(options);
  if (file === undefined) {
    const what = { command: "schedule", what: "the file of a schedule", allowed: "a file" };
    throw submitError("SUBMIT_ERR_ARGUMENT_MISSING", { ...what, example: "--file nightly.yaml" });
  }
  const allowed = "one ScheduledSparkApplication";
  const schedule = orThrow(readApplication(file, await readSingleDocument(host, file, allowed)));
  if (!isSchedule(schedule)) {
    const found = "a SparkApplication, which has no schedule";
    throw submitError("SUBMIT_ERR_MANIFEST_KIND", { file, found, allowed });
  }
  const { next, warnings } = loadSchedule(file, schedule, {
    reservedKeys: reservedKeysOf(options.value("--reserved-keys")),
  });
  printWarnings(host, warnings);
  if (schedule.spec.suspend === true)
    printWarnings(host, [`${file}: spec.suspend is true: no run starts until it is false.`]);
  const times = timesOf(next, { from, count }).map((time) => new Date(time).toISOString());
  host.stdout.write(options.has("--json") ? `${JSON.stringify(times)}\n` : times.map((time) => `${time}\n`).join(""));
  return exitCodes.ok;
}

interface Range {
  /** In ms since 1970. */
  readonly from: number;
  readonly count: number;
}

function parseRange({ clock }: Host, fromText: string | undefined, countText = "5"): Range {
  const from = fromText === undefined ? clock.now() : Date.parse(fromText);
  const count = /^\d{1,5}$/.test(countText) ? Number(countText) : 0;
  const isTime = fromText === undefined || (/^\d{4}-\d\d-\d\dT/.test(fromText) && !Number.isNaN(from));
  throwIssues([
    ...(isTime
      ? []
      : [
          issue("SUBMIT_ERR_ARG_VALUE", {
            option: "--from",
            value: fromText ?? "",
            allowed: "a time such as 2026-11-22T10:07:30Z",
          }),
        ]),
    ...(count >= 1 && count <= maxCount
      ? []
      : [
          issue("SUBMIT_ERR_ARG_VALUE", {
            option: "--count",
            value: countText,
            allowed: `a number from 1 to ${maxCount}`,
          }),
        ]),
  ]);
  return { from, count };
}

function timesOf(next: (afterMs: number) => number | undefined, { from, count }: Range): readonly number[] {
  const times: number[] = [];
  for (let time = next(from); time !== undefined && times.length < count; time = next(time)) times.push(time);
  return times;
}
