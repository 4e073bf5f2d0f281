import { firesteelKillOnInterrupt, firesteelLogs } from "../../conf/entries/firesteel.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { orRunningCluster } from "../default-master.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { withRunningCluster } from "../with-running-cluster.ts";
import { driverIdUsage, parseTarget, targetUsage } from "./operation-target.ts";

const attachUsage = `Usage: firesteel attach ID [options]

Wait for an existing driver, as the command that submitted it does, and exit with the driver's exit code. The driver
can have ended already.

Options:
  --logs MODE             logs to print on the standard output: driver, or all with the executors (default: none)
  --kill-on-interrupt     deletion of the driver on an interrupt
  --fail-fast             deletion of a driver that cannot start without a change, and exit
${targetUsage}${driverIdUsage}`;

/** Runs `firesteel attach`. @returns the exit code */
export async function runAttachCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(attachUsage);
    return exitCodes.ok;
  }
  const { id, rest, has } = parseTarget(args, {
    flags: ["--kill-on-interrupt"],
    settings: new Map([["--logs", firesteelLogs.key]]),
  });
  if (id === undefined) throw submitError("SUBMIT_ERR_DRIVER_ID_MISSING", { command: "attach" });
  const kill = has("--kill-on-interrupt") ? ["--conf", `${firesteelKillOnInterrupt.key}=true`] : [];
  const { attach } = await import("../../masters/kubernetes/attach.ts");
  const machine = await withLauncherEnvironment(host);
  const commandLine = await orRunningCluster(machine, parseCommandLineSettings([...rest, ...kill]));
  return withRunningCluster(machine, async (openEmbedded, opened) => {
    const outcome = await attach({ host: machine, commandLine, id, openClient, openEmbedded });
    if (outcome.end.kind !== "succeeded" && outcome.behaviors.errorText === "plain") {
      const { printOutcome } = await import("../print-outcome.ts");
      host.stderr.write(printOutcome(outcome, { clusterEnds: opened()?.location === "inside" }));
    }
    return exitCodeOf(outcome);
  });
}
