import { parseCommandLine } from "../../command-line/parse.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { exitCodes } from "../exit-codes.ts";
import { asksForHelp } from "../flags.ts";
import { printIssues } from "../print.ts";

/** What `firesteel sweep --help` shows. */
const sweepUsage = `Usage: firesteel sweep --master k8s://https://host:port [options]

Puts in order what submissions left behind that were killed while they created their objects: objects whose driver
exists get it as owner, others are deleted.

Options:
  --namespace NAME        the namespace to look in (default: default)
  --older-than TIME       leaves younger objects alone: their submission may be under way (default: 10min)
  --dry-run               only tells what would be done
  --master, --conf, --properties-file and the like mean what they mean to spark-submit
`;

/** `firesteel sweep …`: gives the exit code. */
export async function runSweepCommand(host: Host, args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) {
    host.stdout.write(sweepUsage);
    return exitCodes.ok;
  }
  const { namespace, olderThan = "10min", dryRun, rest } = takeOwnOptions(args);
  const { namespace: key } = await import("../../conf/entries/submission.ts");
  const chosen = namespace === undefined ? [] : ["--conf", `${key.key}=${namespace}`];
  // The grammar of spark-submit wants an application; here it stands for none.
  const given = orThrow(parseCommandLine([...rest, ...chosen, "spark-internal"], newestLine));
  const { printSwept, sweepCluster } = await import("../../submit/sweep/sweep-cluster.ts");
  const { openEmbedded } = await import("../embedded.ts");
  const result = await sweepCluster({
    ...{ host, given, olderThan, dryRun },
    openEmbedded: (options) => openEmbedded(host, options),
  });
  const found = result.objects.map((object) => `${dryRun ? "would be " : ""}${printSwept(object)}\n`);
  host.stdout.write(
    found.length === 0 ? `Nothing to sweep in namespace ${result.namespace}.\n` : found.join(""),
  );
  host.stderr.write(printIssues(result.issues, { form: "plain", strict: false }));
  return result.issues.length === 0 ? exitCodes.ok : exitCodes.failed;
}

interface OwnOptions {
  readonly namespace: string | undefined;
  readonly olderThan: string | undefined;
  readonly dryRun: boolean;
  /** For spark-submit's grammar. */
  readonly rest: readonly string[];
}

function takeOwnOptions(args: readonly string[]): OwnOptions {
  const rest: string[] = [];
  const own = new Map<string, string>();
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [name = "", glued] = word.split(/=(.*)/s);
    if (name === "--dry-run") own.set(name, "");
    else if (name === "--namespace" || name === "--older-than") own.set(name, glued ?? left.shift() ?? "");
    else rest.push(word);
  }
  return {
    namespace: own.get("--namespace"),
    olderThan: own.get("--older-than"),
    dryRun: own.has("--dry-run"),
    rest,
  };
}
