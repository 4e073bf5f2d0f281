import { isObject } from "../json.ts";
import { badRequest } from "../status.ts";
import type { Action } from "../verbs/call.ts";
import { find } from "../verbs/get.ts";

/** `pods/exec`, `pods/attach`, `pods/portforward`, `pods/proxy`: told to be impossible, in the words of a server that cannot reach the pod. */
export const refuseStream: Action = (api, call) => {
  const { spec } = find(api, call);
  const node = isObject(spec) ? spec["nodeName"] : undefined;
  if (node === undefined) throw badRequest(`pod ${call.name} does not have a host assigned`);
  throw badRequest(`${call.subresource} is not served by this cluster`);
};
