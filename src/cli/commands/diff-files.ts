import type { Host } from "../../host/host.ts";
import { changesOf } from "../applications/changes.ts";
import { parseFileArguments } from "../applications/cluster-options.ts";
import { loadFiles } from "../applications/load-files.ts";
import { withRun } from "../applications/with-run.ts";
import { withRunningCluster } from "../with-running-cluster.ts";

/** Runs `firesteel diff -f`. @returns whether there is a difference */
export async function diffFiles(host: Host, args: readonly string[]): Promise<boolean> {
  const parsed = parseFileArguments(args, { command: "diff", flags: ["--json"] });
  const { commandLine } = parsed;
  const connect = withRunningCluster;
  let isDifferent = false;
  for (const each of await loadFiles(host, parsed)) {
    if (each.kind === "schedule") continue;
    if (each.deployMode === "client") {
      const { noObjectsText } = await import("../applications/dry-files.ts");
      host.stderr.write(noObjectsText(each) ?? "");
      continue;
    }
    const changes = await withRun({ host, application: each, commandLine, connect }, changesOf);
    host.stdout.write(parsed.has("--json") ? changes.printJson() : changes.print());
    isDifferent ||= changes.count > 0;
  }
  return isDifferent;
}
