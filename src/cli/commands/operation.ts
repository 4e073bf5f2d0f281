import { parseCommandLine } from "../../command-line/parse.ts";
import { appKillPodDeletionGracePeriod } from "../../conf/entries/watching.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { KillInvocation, StatusInvocation } from "../../plan/invocation.ts";
import { orRunningCluster } from "../default-master.ts";
import { localSpark, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { withRunningCluster } from "../with-running-cluster.ts";
import { parseTarget, targetUsage } from "./operation-target.ts";

const usages = {
  status: `Usage: firesteel status [ID] [options]

Print the status of drivers, as spark-submit --status does. Without an ID, print all drivers. Exit with 1 if none is
found.

Options:
  --json                  JSON output
${targetUsage}`,
  kill: `Usage: firesteel kill ID [options]

Delete drivers, as spark-submit --kill does. Exit with 1 if none is found.

Options:
  --grace-period DURATION grace period of the drivers, e.g. 10s (default: that of the pod)
${targetUsage}`,
};

const ownSettings = {
  status: new Map<string, string>(),
  kill: new Map([["--grace-period", appKillPodDeletionGracePeriod.key]]),
};

/** Runs `firesteel status` or `firesteel kill`. @returns the exit code */
export async function runOperationCommand(
  action: "status" | "kill",
  host: Host,
  args: readonly string[],
): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usages[action]);
    return exitCodes.ok;
  }
  const { id = action === "status" ? "*" : undefined, rest } = parseTarget(args, {
    settings: ownSettings[action],
  });
  if (id === undefined) throw submitError("SUBMIT_ERR_DRIVER_ID_MISSING", { command: action });
  const invocation = orThrow(parseCommandLine([`--${action}`, id, ...rest], newestLine));
  if (invocation.action !== "kill" && invocation.action !== "status") {
    const option = invocation.action === "version" ? "--version" : "--usage-error";
    throw submitError("SUBMIT_ERR_ARG_UNKNOWN", { option });
  }
  const machine = await withLauncherEnvironment(host);
  const { fields } = await orRunningCluster(machine, invocation);
  return runOperation(machine, { ...invocation, fields }, { usesKubeconfig: true });
}

/** Runs `--kill` or `--status`, of spark-submit or of a command. @returns the exit code */
export async function runOperation(
  host: Host,
  invocation: KillInvocation | StatusInvocation,
  options: { readonly usesKubeconfig?: boolean; readonly openClient?: OpenClient | undefined },
): Promise<number> {
  const { operate } = await import("../../masters/operate.ts");
  const { isFound, behaviors } = await withRunningCluster(host, async (openEmbedded) =>
    operate({ ...options, host, invocation, openEmbedded, localSpark: await localSpark(host) }),
  );
  return isFound || behaviors.exitCode === "spark" ? exitCodes.ok : exitCodes.failed;
}
