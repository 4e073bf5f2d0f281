import { resourceTypes } from "../../kube/resources.ts";
import type { ListCall } from "../../kube-client/call.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/**
 * Driver that an earlier submission of an attempt can have created. `none`: this process has just stored the record. `required`: it exists,
 * and the submission must not create another one, even if it is deleted meanwhile.
 */
export type EarlierDriver = "none" | "possible" | "required";

/** Returns a client for a submission with what is known about an earlier driver. */
export function withEarlierDriver(client: KubeClient, earlier: EarlierDriver): KubeClient {
  switch (earlier) {
    case "none":
      return withoutDrivers(client);
    case "possible":
      return client;
    case "required":
      return {
        ...client,
        async create(call) {
          if (call.type === resourceTypes.pod) throw new Error("The driver was deleted meanwhile.");
          return client.create(call);
        },
      };
  }
}

/**
 * The list of earlier drivers is empty without a request. A driver of another process with the same record is still found, because the
 * API rejects the second pod.
 */
function withoutDrivers(client: KubeClient): KubeClient {
  return {
    ...client,
    list: async <T>(call: ListCall) =>
      call.type === resourceTypes.pod ? { items: [], resourceVersion: "" } : client.list<T>(call),
  };
}
