import { parseCommandLine } from "../../command-line/parse.ts";
import { firesteelKillOnInterrupt, firesteelLogs } from "../../conf/entries/firesteel.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../submit/open-client.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { asksForHelp } from "../flags.ts";
import { withEmbedded, withLauncherScripts } from "../surroundings.ts";
import { takeTarget } from "./operation-target.ts";

const attachUsage = `Usage: firesteel attach ID [options]

Waits for a driver that exists already, as the command would that submitted it, and ends with the driver's exit code;
also when the driver has ended by now.

Options:
  --logs driver           shows the driver's log on the standard output; all: those of the executors, too
  --kill-on-interrupt     an interrupt deletes the driver
  --namespace NAME        the namespace (default: that of the id, else of the kubeconfig)
  --context NAME          the context of the kubeconfig (default: the current one)
  --master URL            k8s://https://host:port, or k8s://embedded (default: the cluster of the kubeconfig)
  --conf, --properties-file and the like mean what they mean to spark-submit

ID is NAMESPACE:POD, POD, the beginning of a pod's name and *, or an application's id spark-…
`;

/** `firesteel attach …`: gives the exit code. */
export async function runAttachCommand(
  host: Host,
  args: readonly string[],
  openClient?: OpenClient,
): Promise<number> {
  if (asksForHelp(args)) {
    host.stdout.write(attachUsage);
    return exitCodes.ok;
  }
  const { id, rest, has } = takeTarget(args, {
    flags: ["--kill-on-interrupt"],
    settings: new Map([["--logs", firesteelLogs.key]]),
  });
  if (id === undefined) throw submitError("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "attach" });
  // The grammar of spark-submit wants an application; here it stands for none.
  const kill = has("--kill-on-interrupt") ? ["--conf", `${firesteelKillOnInterrupt.key}=true`] : [];
  const given = orThrow(parseCommandLine([...rest, ...kill, "spark-internal"], newestLine));
  const { attach } = await import("../../submit/attach.ts");
  const machine = await withLauncherScripts(host);
  return withEmbedded(machine, async (openEmbedded, opened) => {
    const outcome = await attach({ host: machine, given, id, openClient, openEmbedded });
    if (outcome.end.kind !== "succeeded" && !outcome.strict) {
      const { printEnd } = await import("../print-end.ts");
      host.stderr.write(printEnd(outcome, { clusterEnds: opened()?.place === "inside" }));
    }
    return exitCodeOf(outcome);
  });
}
