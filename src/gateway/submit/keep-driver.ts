import { isSubmitError } from "../../errors/submit-error.ts";
import { isTransient } from "../../kube/is-transient.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { mayHaveArrived } from "../../kube-client/network-error.ts";

/**
 * Returns a client for one attempt of a submission that is repeated after a failure of the API. If the driver's pod may exist then, the
 * client deletes nothing: the driver can run already, and the next attempt finds it and creates what it lacks. A rollback would end it, and
 * look like a deletion by someone else.
 */
export function keepDriver(client: KubeClient): KubeClient {
  let [canHaveDriver, isKept] = [false, false];
  const observe = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      isKept ||= canHaveDriver && isSubmitError(error) && isTransient(error);
      throw error;
    }
  };
  return {
    ...client,
    async create(call) {
      const created = client.create(call).catch((error: unknown) => {
        canHaveDriver ||= call.type === resourceTypes.pod && mayHaveArrived(error);
        throw error;
      });
      const object = await observe(created);
      canHaveDriver ||= call.type === resourceTypes.pod;
      return object;
    },
    apply: (call) => observe(client.apply(call)),
    delete: async (call) => (isKept ? false : client.delete(call)),
  };
}
