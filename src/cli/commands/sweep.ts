import { namespace } from "../../conf/entries/submission.ts";
import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/kubernetes/connect-over-network.ts";
import { withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { isHelpRequest } from "../parse-options.ts";
import { printIssues } from "../print.ts";

/** What `firesteel sweep --help` shows. */
const sweepUsage = `Usage: firesteel sweep [options]

Puts in order what submissions left behind that were killed while they created their objects: objects whose driver
exists get it as owner, others are deleted. With them go uploads of drivers that have ended, where the submission wanted
that (spark.firesteel.staging.removeUploads), and files of the bucket in spark.firesteel.staging.s3.path that nobody has
used, or gone on to upload, for 8 days.

Options:
  --namespace NAME        the namespace to look in (default: default)
  --older-than TIME       leaves younger objects alone: their submission may be under way (default: 10min)
  --dry-run               only tells what would be done
  --master URL            k8s://https://host:port, or k8s://embedded (default: the cluster of the kubeconfig)
  --conf, --properties-file and the like mean what they mean to spark-submit
`;

/** `firesteel sweep …`: gives the exit code. */
export async function runSweepCommand(
  host: Host,
  args: readonly string[],
  openClient?: OpenClient,
): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(sweepUsage);
    return exitCodes.ok;
  }
  const { own, plain, rest } = parseInterleavedArgs(args, {
    flags: ["--dry-run"],
    values: ["--namespace", "--older-than"],
  });
  throwIssues(plain.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })));
  const dryRun = own.has("--dry-run");
  const olderThan = own.value("--older-than") ?? "10min";
  const chosen = own.value("--namespace");
  const inNamespace = chosen === undefined ? [] : ["--conf", `${namespace.key}=${chosen}`];
  const given = parseCommandLineSettings([...rest, ...inNamespace]);
  const { printSweep, sweepCluster } = await import("../../masters/kubernetes/sweep/sweep-cluster.ts");
  const machine = await withLauncherEnvironment(host);
  const result = await withEmbedded(machine, (openEmbedded) =>
    sweepCluster({ host: machine, given, olderThan, dryRun, openEmbedded, openClient }),
  );
  const found = printSweep(result).map((line) => `${dryRun ? "would be " : ""}${line}\n`);
  host.stdout.write(
    found.length === 0 ? `Nothing to sweep in namespace ${result.namespace}.\n` : found.join(""),
  );
  host.stderr.write(printIssues(result.issues, { form: "plain", strict: false }));
  return result.issues.length === 0 ? exitCodes.ok : exitCodes.failed;
}
