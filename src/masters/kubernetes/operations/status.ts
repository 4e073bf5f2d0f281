import type { Behaviors } from "../../../conf/behaviors.ts";
import type { Host } from "../../../host/host.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { printPodState } from "../watch/print-pod-state.ts";
import { type DriverSelection, findDrivers, printNotFound } from "./driver-selection.ts";
import type { RequestLineFields } from "./kill.ts";

/** Inputs of a status. */
export interface StatusCall {
  readonly host: Pick<Host, "stdout" | "stderr">;
  readonly client: KubeClient;
  readonly selection: DriverSelection;
  readonly behaviors: Pick<Behaviors, "notFoundText">;
  /** Whether to print JSON on stdout instead of Spark's text on stderr. */
  readonly json: boolean;
}

/** Prints the first line of a status. */
export function statusRequestLine({ submissionId, master }: RequestLineFields): string {
  return `Submitting a request for the status of submission ${submissionId} in ${master}.`;
}

/**
 * Prints the status of drivers.
 *
 * Source: Spark K8SSparkSubmitOperation, ListStatus.
 *
 * @returns whether a driver matched
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function printStatus(call: StatusCall): Promise<boolean> {
  const { host, client, selection, behaviors, json } = call;
  const pods = await findDrivers(client, selection);
  if (pods.length === 0) host.stderr.write(printNotFound(selection, behaviors));
  if (json) {
    const { printDriversJson } = await import("./drivers-json.ts");
    host.stdout.write(printDriversJson(pods));
  } else {
    host.stderr.write(pods.map((pod) => `Application status (driver): ${printPodState(pod)}\n`).join(""));
  }
  return pods.length > 0;
}
