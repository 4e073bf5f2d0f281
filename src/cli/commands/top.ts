import { hasCode, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { printActivity } from "../print-activity.ts";
import { redraw } from "../redraw.ts";
import { untilInterrupt } from "../until-interrupt.ts";
import { driverIdUsage, parseTarget, targetUsage } from "./operation-target.ts";
import { withTargetDriver } from "./with-target-driver.ts";

const usage = `Usage: firesteel top ID [options]

Show the stages, tasks, executors and memory of a running application, as its driver's UI reports them. On a terminal,
update them until an interrupt or the driver's end; elsewhere, print them once.

Options:
  --once                  print once, also on a terminal
  --json                  one JSON object: appId, appName, startedMs, runningJobs, and lists stages and executors
${targetUsage}${driverIdUsage}`;

const updateMs = 2000;

/** Runs `firesteel top`. @returns the exit code */
export async function runTopCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const target = parseTarget(args, { flags: ["--once", "--json"] });
  await withTargetDriver(host, { command: "top", target, openClient }, async ({ client, pod: driver }) => {
    await requireRunning(driver);
    const { fetchActivity } = await import("../../masters/kubernetes/applications/application-activity.ts");
    if (target.has("--json"))
      host.stdout.write(`${JSON.stringify(await fetchActivity({ client, driver }), undefined, 2)}\n`);
    else if (target.has("--once") || !host.stdout.isTerminal)
      host.stdout.write(printActivity(await fetchActivity({ client, driver }), host.clock.now()));
    else await untilInterrupt(host, (signal) => update(host, { client: client.withoutRetries(), driver, signal }));
  });
  return exitCodes.ok;
}

/** @throws SUBMIT_ERR_DRIVER_NOT_RUNNING */
async function requireRunning(driver: Pod): Promise<void> {
  const { applicationState } = await import("../../masters/kubernetes/applications/application-summary.ts");
  const { namespace, name } = driver.metadata ?? {};
  const state = applicationState(driver);
  if (state !== "running") throw submitError("SUBMIT_ERR_DRIVER_NOT_RUNNING", { id: `${namespace}:${name}`, state });
}

interface Update {
  readonly client: KubeClient;
  readonly driver: Pod;
  readonly signal: AbortSignal;
}

/** Updates the terminal until the driver has ended. @throws what `fetchActivity` throws, but for a UI that does not respond */
async function update({ stdout, clock }: Host, { client, driver, signal }: Update): Promise<void> {
  const { fetchActivity } = await import("../../masters/kubernetes/applications/application-activity.ts");
  const { applicationState } = await import("../../masters/kubernetes/applications/application-summary.ts");
  const { fetchPod } = await import("../../masters/kubernetes/watch/fetch-pod.ts");
  const { name = "" } = driver.metadata ?? {};
  while (!signal.aborted) {
    try {
      stdout.write(redraw(printActivity(await fetchActivity({ client, driver, signal }), clock.now())));
    } catch (error) {
      if (hasCode(error, "SUBMIT_ERR_INTERRUPTED")) return;
      if (!hasCode(error, "SUBMIT_ERR_DRIVER_UI_NO_RESPONSE")) throw error;
      const pod = await fetchPod(client, driver);
      const state = pod === undefined ? "deleted" : applicationState(pod);
      if (state !== "running") {
        stdout.write(`The driver ${name} has ended: ${state}\n`);
        return;
      }
      stdout.write(redraw(`${error.message}\n`));
    }
    await clock.sleep(updateMs, { signal });
  }
}
