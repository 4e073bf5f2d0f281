import { findOwnDriver } from "../../applications/application-run.ts";
import { deleteRun } from "../../applications/delete-run.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { fileUsage, parseFileArguments } from "../applications/cluster-options.ts";
import { loadFiles } from "../applications/load-files.ts";
import { withRun } from "../applications/with-run.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { withRunningCluster } from "../with-running-cluster.ts";

const usage = `Usage: firesteel delete -f FILE [options]

Delete the drivers of the applications of a file, with all objects of their runs, and wait until they do not exist. The
exit code is 1 if an application or a schedule has no run.

Options:
  --ignore-not-found      exit with 0 if an application or a schedule has no run
${fileUsage}`;

/** Runs `firesteel delete`. @returns the exit code */
export async function runDeleteCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const parsed = parseFileArguments(args, { command: "delete", flags: ["--ignore-not-found"] });
  const { commandLine } = parsed;
  const connect = withRunningCluster;
  let missing = 0;
  for (const each of await loadFiles(host, parsed)) {
    if (each.kind === "schedule") {
      const { deleteScheduledRuns } = await import("./apply-schedule.ts");
      if (!(await deleteScheduledRuns({ host, parsed, openClient, connect }, each))) missing += 1;
      continue;
    }
    const existed = await withRun({ host, application: each, commandLine, openClient, connect }, async (run) => {
      await findOwnDriver(run);
      return deleteRun(run);
    });
    host.stdout.write(`${each.file}: ${each.name} ${existed ? "deleted" : "not found"}\n`);
    if (!existed) missing += 1;
  }
  return missing > 0 && !parsed.has("--ignore-not-found") ? exitCodes.failed : exitCodes.ok;
}
