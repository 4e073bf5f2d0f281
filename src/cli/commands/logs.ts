import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { LogRange, LogSource } from "../../masters/kubernetes/applications/application-logs.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { untilInterrupt } from "../until-interrupt.ts";
import { driverIdUsage, parseTarget, type Target, targetUsage } from "./operation-target.ts";
import { withTargetDriver } from "./with-target-driver.ts";

const usage = `Usage: firesteel logs ID [options]

Print the log of a driver, or of its executors.

Options:
  -f, --follow            print new lines, too, until the driver has ended
  --executors             logs of all executors that exist, each line with the executor as a prefix
  --executor N            log of the executor with this ID
  --since DURATION|TIME   only newer lines, e.g. 10min, or a time such as 2026-01-31T12:00:00Z
  --tail N                only the last lines
  --previous              log of the container before its last restart
  --timestamps            time at the start of each line
${targetUsage}${driverIdUsage}`;

const flags = ["-f", "--follow", "--executors", "--previous", "--timestamps"] as const;
const values = ["--executor", "--since", "--tail"] as const;
type LogsTarget = Target<(typeof flags)[number], (typeof values)[number]>;

/** Runs `firesteel logs`. @returns the exit code */
export async function runLogsCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const target = parseTarget(args, { flags, values });
  const { parseLogStart } = await import("../../masters/kubernetes/applications/log-start.ts");
  const range = logRange(target, (text) => parseLogStart(text, host.clock.now()));
  const { printLogs } = await import("../../masters/kubernetes/applications/application-logs.ts");
  const { followLogs } = await import("../../masters/kubernetes/applications/follow-logs.ts");
  const { clock, random, stdout } = host;
  await withTargetDriver(host, { command: "logs", target, openClient }, ({ client, log, pod }) => {
    const call = { client, clock, random, log, driver: pod, source: logSource(target), stdout };
    if (!target.has("-f") && !target.has("--follow")) return printLogs(call, range);
    return untilInterrupt(host, (signal) => followLogs({ ...call, range, signal }));
  });
  return exitCodes.ok;
}

function logSource({ has, value }: LogsTarget): LogSource {
  const executorId = value("--executor");
  if (executorId !== undefined) return { executorId };
  return has("--executors") ? "executors" : "driver";
}

/** @throws all problems of the options together: SUBMIT_ERR_ARG_VALUE, SUBMIT_ERR_OPTIONS_EXCLUSIVE */
function logRange({ has, value }: LogsTarget, parseStart: (text: string) => string | undefined): LogRange {
  const [since, tail, executor] = [value("--since"), value("--tail"), value("--executor")];
  const sinceTime = since === undefined ? undefined : parseStart(since);
  const isNumber = (text: string) => /^\d{1,9}$/.test(text);
  const invalid = (option: string, text: string, allowed: string) =>
    issue("SUBMIT_ERR_ARG_VALUE", { option, value: text, allowed });
  const follow = (["-f", "--follow"] as const).filter(has);
  throwIssues([
    ...(since !== undefined && sinceTime === undefined
      ? [invalid("--since", since, "a duration such as 10min, or a time such as 2026-01-31T12:00:00Z")]
      : []),
    ...(tail === undefined || isNumber(tail) ? [] : [invalid("--tail", tail, "a whole number of lines")]),
    ...(executor === undefined || isNumber(executor)
      ? []
      : [invalid("--executor", executor, "the ID of an executor, e.g. 1")]),
    ...(["--previous", "--timestamps"] as const)
      .filter(has)
      .flatMap((first) => follow.map((second) => issue("SUBMIT_ERR_OPTIONS_EXCLUSIVE", { first, second }))),
  ]);
  return {
    ...(sinceTime !== undefined && { sinceTime }),
    ...(tail !== undefined && { tailLines: Number(tail) }),
    ...(has("--previous") && { previous: true }),
    ...(has("--timestamps") && { timestamps: true }),
  };
}
