import { hasCode } from "../errors/submit-error.ts";
import type { KubeResource } from "../kube/types.ts";
import type { GetCall } from "./call.ts";
import type { KubeClient } from "./client.ts";

/** Gets an object; `undefined` if it does not exist. @throws SubmitError as `get`, except `SUBMIT_ERR_KUBE_NOT_FOUND` */
export async function findObject<T = KubeResource>(client: KubeClient, call: GetCall): Promise<T | undefined> {
  try {
    return await client.get<T>(call);
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}
