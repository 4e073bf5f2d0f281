import { firesteelKillOnInterrupt, firesteelLogs } from "../../conf/entries/firesteel.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/kubernetes/connect-over-network.ts";
import { withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { isHelpRequest } from "../parse-options.ts";
import { parseTarget, targetUsage } from "./operation-target.ts";

const attachUsage = `Usage: firesteel attach ID [options]

Waits for a driver that exists already, as the command would that submitted it, and ends with the driver's exit code;
also when the driver has ended by now.

Options:
  --logs driver           shows the driver's log on the standard output; all: those of the executors, too
  --kill-on-interrupt     an interrupt deletes the driver
  --fail-fast             deletes a driver that will not start until somebody changes something, and ends
${targetUsage}`;

/** `firesteel attach …`: gives the exit code. */
export async function runAttachCommand(
  host: Host,
  args: readonly string[],
  openClient?: OpenClient,
): Promise<number> {
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
  const given = parseCommandLineSettings([...rest, ...kill]);
  const { attach } = await import("../../masters/kubernetes/attach.ts");
  const machine = await withLauncherEnvironment(host);
  return withEmbedded(machine, async (openEmbedded, opened) => {
    const outcome = await attach({ host: machine, given, id, openClient, openEmbedded });
    if (outcome.end.kind !== "succeeded" && outcome.behaviors.errorText === "plain") {
      const { printOutcome } = await import("../print-outcome.ts");
      host.stderr.write(printOutcome(outcome, { clusterEnds: opened()?.place === "inside" }));
    }
    return exitCodeOf(outcome);
  });
}
