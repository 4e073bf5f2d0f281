import { hasCode } from "../errors/submit-error.ts";
import type { DeleteCall } from "./call.ts";
import { type Api, type Exchange, exchange } from "./exchange.ts";
import { discard } from "./lines.ts";
import { aboutObject } from "./target.ts";

/** Deletes one object. Returns `false` if it did not exist. */
export async function deleteObject(api: Api, call: DeleteCall): Promise<boolean> {
  const { gracePeriodSeconds, uid, resourceVersion } = call;
  const options = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Background",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
  };
  const request: Exchange = {
    ...aboutObject(call, "delete"),
    method: "DELETE",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(options),
  };
  try {
    await exchange(api, request, (response) => discard(response.body));
    return true;
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return false;
    throw error;
  }
}
