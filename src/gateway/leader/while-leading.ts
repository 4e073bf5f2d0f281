import { submitError } from "../../errors/submit-error.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/**
 * Returns a client that changes nothing once another process can lead. A change during which the leadership ended counts as failed,
 * because the next leader may not see it. Methods that change something throw SubmitError `SUBMIT_ERR_GATEWAY_NOT_LEADING`.
 */
export function whileLeading(client: KubeClient, isLeading: () => boolean): KubeClient {
  const requireLeadership = () => {
    if (!isLeading()) throw submitError("SUBMIT_ERR_GATEWAY_NOT_LEADING", {});
  };
  return client.withTransport((transport) => async (request) => {
    if (request.method === "GET") return transport(request);
    requireLeadership();
    const response = await transport(request);
    requireLeadership();
    return response;
  });
}
