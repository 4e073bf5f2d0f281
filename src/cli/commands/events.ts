import type { Host } from "../../host/host.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { ApplicationEvent } from "../../masters/kubernetes/diagnose/application-events.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { printSpan } from "../../masters/print-span.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { printTable } from "../print-table.ts";
import { driverIdUsage, parseTarget, targetUsage } from "./operation-target.ts";
import { withTargetDriver } from "./with-target-driver.ts";

const usage = `Usage: firesteel events ID [options]

Print the events about a driver, its executors and their objects, the oldest first. Clusters keep events for an hour.

Options:
  --json                  one JSON object with a list events: time, type, reason, object, count, message
${targetUsage}${driverIdUsage}`;

/** Runs `firesteel events`. @returns the exit code */
export async function runEventsCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const target = parseTarget(args, { flags: ["--json"] });
  const { applicationEvents } = await import("../../masters/kubernetes/diagnose/application-events.ts");
  const events = await withTargetDriver(host, { command: "events", target, openClient }, ({ client, pod }) =>
    applicationEvents(client, pod),
  );
  if (target.has("--json")) {
    const list = events.map((event) => `\n  ${JSON.stringify(event)}`);
    host.stdout.write(`{"events": [${list.join(",")}\n]}\n`);
  } else if (events.length === 0) host.stderr.write("There are no events. Clusters delete them after an hour.\n");
  else host.stdout.write(printEvents(events, host.clock.now()));
  return exitCodes.ok;
}

function printEvents(events: readonly ApplicationEvent[], nowMs: number): string {
  const rows = events.map(({ time, type, reason, object, count, message }) => {
    const times = count > 1 ? ` (${count} times)` : "";
    const age = printSpan(Math.max(0, nowMs - Date.parse(time)));
    return [age, type, reason, object, `${message}${times}`].map(visibleLine);
  });
  return printTable(["AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"], rows);
}
