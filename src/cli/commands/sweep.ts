import { namespace } from "../../conf/entries/submission.ts";
import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { orRunningCluster } from "../default-master.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { printIssues } from "../print.ts";
import { withRunningCluster } from "../with-running-cluster.ts";

const sweepUsage = `Usage: firesteel sweep [options]

Clean up after submissions that were killed while they created objects. An object whose driver exists gets it as
owner; other objects are deleted. The command also deletes:
- uploads of drivers that have ended, if the submission requested it (spark.firesteel.staging.removeUploads)
- files in the bucket of spark.firesteel.staging.s3.path that no submission has used or continued to upload for 8 days

Options:
  --namespace NAME        namespace to clean up (default: default)
  --older-than DURATION   minimum age of objects, because the submission of a newer one can be running (default: 10min)
  --dry-run               report without changes
  --master URL            k8s://https://HOST:PORT or k8s://embedded (default: the cluster of the kubeconfig,
                          else the embedded one that runs)
  --conf, --properties-file and similar options are those of spark-submit
`;

/** Runs `firesteel sweep`. @returns the exit code */
export async function runSweepCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(sweepUsage);
    return exitCodes.ok;
  }
  const { own, positionals, rest } = parseInterleavedArgs(args, {
    flags: ["--dry-run"],
    values: ["--namespace", "--older-than"],
  });
  throwIssues(positionals.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  const dryRun = own.has("--dry-run");
  const olderThan = own.value("--older-than") ?? "10min";
  const name = own.value("--namespace");
  const inNamespace = name === undefined ? [] : ["--conf", `${namespace.key}=${name}`];
  const { printSweep, sweepCluster } = await import("../../masters/kubernetes/sweep/sweep-cluster.ts");
  const machine = await withLauncherEnvironment(host);
  const commandLine = await orRunningCluster(machine, parseCommandLineSettings([...rest, ...inNamespace]));
  const result = await withRunningCluster(machine, (openEmbedded) =>
    sweepCluster({ host: machine, commandLine, olderThan, dryRun, openEmbedded, openClient }),
  );
  const found = printSweep(result).map((line) => `${dryRun ? "would be " : ""}${visibleLine(line)}\n`);
  host.stdout.write(found.length === 0 ? `Nothing to sweep in namespace ${result.namespace}.\n` : found.join(""));
  host.stderr.write(printIssues(result.issues, { form: "errorAndHint" }));
  return result.issues.length === 0 ? exitCodes.ok : exitCodes.failed;
}
