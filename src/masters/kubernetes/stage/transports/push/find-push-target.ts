import { pushPort, pushServiceType } from "../../../../../conf/entries/pushing.ts";
import { isSubmitError } from "../../../../../errors/submit-error.ts";
import { statusOf } from "../../../../../kube/status.ts";
import type { Pod } from "../../../../../kube/types.ts";
import type { PushServiceType } from "../../../../../plan/transports/push-service.ts";
import { TransientError } from "../../../../../staging-client/retry.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";
import { addressTarget, externalTarget, nodePortTarget, type PushTarget } from "./service-targets.ts";

/** Finds the address of a waiting init container, by the type of its service. `features/transports/push-services.ts` has the objects. */
const findTarget: Readonly<Record<PushServiceType, (call: TransferCall, pod: Pod) => Promise<PushTarget>>> = {
  PortForward: async (call, pod) => portForwardTarget(call, pod),
  NodePort: nodePortTarget,
  ExternalAnnotation: externalTarget,
  Ingress: addressTarget,
  Gateway: addressTarget,
};

/** Finds the push target that the settings specify, and waits until it responds. @throws SUBMIT_ERR_STAGING_NO_ADDRESS, SUBMIT_ERR_KUBE_… */
export function findPushTarget(call: TransferCall, pod: Pod): Promise<PushTarget> {
  return findTarget[call.driver.conf.get(pushServiceType)](call, pod);
}

function portForwardTarget({ client, driver, signal }: TransferCall, { metadata }: Pod): PushTarget {
  const { name = "", namespace = "" } = metadata ?? {};
  const port = driver.conf.get(pushPort);
  const tunnelClient = client.withoutRetries();
  const target = { namespace, pod: name, port, ...(signal !== undefined && { signal }) };
  return {
    description: "port forwarding of the Kubernetes API",
    url: `http://${name}:${port}`,
    connect: () => tunnelClient.connectToPod(target).catch(throwTransient),
  };
}

/** Throws a transient error for a node that is not ready, or for an unavailable API: a retry can succeed. */
function throwTransient(error: unknown): never {
  if (!isSubmitError(error)) throw error;
  const { kind, code, message } = error;
  const isUnreachable = (kind === "unreachable" || kind === "timeout") && code !== "SUBMIT_ERR_INTERRUPTED";
  if (isUnreachable || (statusOf(error)?.code ?? 0) >= 500) throw new TransientError(message);
  throw error;
}
