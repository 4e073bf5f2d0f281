import { parseCommandLine } from "../../command-line/parse.ts";
import { appKillPodDeletionGracePeriod } from "../../conf/entries/watching.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { OpenClient } from "../../masters/kubernetes/connect-over-network.ts";
import type { OperationOutcome, ResolvedOperation } from "../../masters/kubernetes/operations/operate.ts";
import type { KillInvocation, StatusInvocation } from "../../plan/invocation.ts";
import { localSpark, withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../parse-options.ts";
import { parseTarget, targetUsage } from "./operation-target.ts";

const usages = {
  status: `Usage: firesteel status [ID] [options]

Shows how drivers are, as spark-submit --status does; all drivers without an ID. The exit code is 1 when there is none.

Options:
  --json                  as JSON on the standard output
${targetUsage}`,
  kill: `Usage: firesteel kill ID [options]

Ends drivers, as spark-submit --kill does. The exit code is 1 when there is none.

Options:
  --grace-period TIME     how long a driver may take to end, e.g. 10s (default: as its pod says)
${targetUsage}`,
};

const ownSettings = {
  status: new Map<string, string>(),
  kill: new Map([["--grace-period", appKillPodDeletionGracePeriod.key]]),
};

/** `firesteel status …` and `firesteel kill …`: gives the exit code. */
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
  return runOperation(await withLauncherEnvironment(host), invocation, { usesKubeconfig: true });
}

/** Does a `--kill` or `--status`, however it was said: gives the exit code. */
export async function runOperation(
  host: Host,
  invocation: KillInvocation | StatusInvocation,
  options: { readonly usesKubeconfig?: boolean; readonly openClient?: OpenClient | undefined },
): Promise<number> {
  const { operate } = await import("../../masters/kubernetes/operations/operate.ts");
  const { isFound, behaviors } = await withEmbedded(host, async (openEmbedded) =>
    operate({
      ...{ ...options, host, invocation, openEmbedded, localSpark: await localSpark(host) },
      elsewhere: operateElsewhere,
    }),
  );
  return isFound || behaviors.exitCode === "spark" ? exitCodes.ok : exitCodes.failed;
}

async function operateElsewhere(operation: ResolvedOperation): Promise<OperationOutcome> {
  const { strategyOf } = await import("../../masters/strategies.ts");
  const { operate } = await strategyOf(operation.place);
  if (operate === undefined) throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master: operation.master });
  return operate(operation);
}
