import type { Behaviors } from "../../../conf/behaviors.ts";
import type { Host } from "../../../host/host.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { printPodState } from "../watch/print-pod-state.ts";
import { type DriverSelection, findDrivers, noneFound } from "./driver-selection.ts";
import type { RequestLineFields } from "./kill.ts";

/** Whose state is wanted, and how it is told. */
export interface StatusCall {
  readonly host: Pick<Host, "stdout" | "stderr">;
  readonly client: KubeClient;
  readonly selection: DriverSelection;
  readonly behaviors: Pick<Behaviors, "notFoundText">;
  /** As JSON on stdout, instead of Spark's text on stderr. */
  readonly json: boolean;
}

/** The first line of a status. */
export function statusRequestLine({ submissionId, master }: RequestLineFields): string {
  return `Submitting a request for the status of submission ${submissionId} in ${master}.`;
}

/**
 * Tells how drivers are.
 *
 * Source: Spark K8SSparkSubmitOperation, ListStatus.
 *
 * @returns whether there was one
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function printStatus(call: StatusCall): Promise<boolean> {
  const { host, client, selection, behaviors, json } = call;
  const pods = await findDrivers(client, selection);
  if (pods.length === 0) host.stderr.write(noneFound(selection, behaviors));
  if (json) {
    const { printDriversJson } = await import("./drivers-json.ts");
    host.stdout.write(printDriversJson(pods));
  } else {
    host.stderr.write(pods.map((pod) => `Application status (driver): ${printPodState(pod)}\n`).join(""));
  }
  return pods.length > 0;
}
