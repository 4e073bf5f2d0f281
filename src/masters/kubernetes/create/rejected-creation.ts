import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import type { Log } from "../../../host/log.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { mayHaveArrived } from "../../../kube-client/network-error.ts";
import { type Creation, findCreated } from "./undo-creations.ts";

// Spark's messages for the administrator of the cluster. Source: Spark Client.run.
const logger = "Client";
const checkPod = 'Please check "kubectl auth can-i create pod" first. It should be yes.';
const checkResource =
  'Please check "kubectl auth can-i create [resource]" first. It should be yes. And please also check your feature step implementation.';

/** Logs advice about a rejected object other than the driver's pod. */
export function logRejection(log: Log, error: unknown, isPreResource: boolean): void {
  if (isPreResource) log("ERROR", logger, checkResource);
  else if (rejectsEverything(error)) logPodRejection(log);
}

/** Logs advice about a rejected pod. */
export function logPodRejection(log: Log): void {
  log("ERROR", logger, checkPod);
}

/** Finds the created pod after a lost response. After a retry, the API reports it as a conflict. */
export async function findUnreported(
  client: KubeClient,
  creation: Omit<Creation, "uid">,
  error: unknown,
): Promise<Pod | undefined> {
  if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT") && !mayHaveArrived(error)) return undefined;
  // If this call fails, too, report the first error.
  return findCreated<Pod>(client, creation).catch(() => undefined);
}

const generalCodes: ReadonlySet<string> = new Set([
  "SUBMIT_ERR_KUBE_NAMESPACE",
  "SUBMIT_ERR_KUBE_UNAUTHORIZED",
  // An authority that is not a certificate, which only the connection detects.
  "SUBMIT_ERR_KUBE_AUTH_PEM",
]);

/** Returns whether the API would reject the driver's pod, too. */
function rejectsEverything(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  const { code, kind } = error;
  if (generalCodes.has(code)) return true;
  return kind === "unreachable" || kind === "timeout";
}
