import { pushPort, pushServiceType } from "../../../../../conf/entries/pushing.ts";
import { isSubmitError } from "../../../../../errors/submit-error.ts";
import { statusOf } from "../../../../../kube/status.ts";
import type { Pod } from "../../../../../kube/types.ts";
import { TransientError } from "../../../../../staging-client/retry.ts";
import type { CarryCall } from "../../carry.ts";
import { findExternalWay, findNodePortWay } from "./service-ways.ts";
import type { HttpAgents } from "./way.ts";

/** The way that the settings want; waits for what leads there. @throws SUBMIT_ERR_STAGING_NO_ADDRESS, SUBMIT_ERR_KUBE_… */
export async function findWay(call: CarryCall, pod: Pod): Promise<HttpAgents> {
  switch (call.driver.conf.get(pushServiceType)) {
    case "PortForward":
      return throughApi(call, pod);
    case "NodePort":
      return findNodePortWay(call);
    case "ExternalAnnotation":
      return findExternalWay(call);
  }
}

function throughApi({ client, driver, signal }: CarryCall, { metadata }: Pod): HttpAgents {
  const { name = "", namespace = "" } = metadata ?? {};
  const port = driver.conf.get(pushPort);
  const patient = client.withoutRetries();
  const target = { namespace, pod: name, port, ...(signal !== undefined && { signal }) };
  return {
    shown: "port forwarding of the Kubernetes API",
    url: `http://${name}:${port}`,
    connect: () => patient.connectToPod(target).catch(mayPass),
  };
}

/** A node that is not ready yet, or an API that is away: the next attempt may come through. */
function mayPass(error: unknown): never {
  if (!isSubmitError(error)) throw error;
  const { kind, code, message } = error;
  const isAway = (kind === "unreachable" || kind === "timeout") && code !== "SUBMIT_ERR_INTERRUPTED";
  if (isAway || (statusOf(error)?.code ?? 0) >= 500) throw new TransientError(message);
  throw error;
}
