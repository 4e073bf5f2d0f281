import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { GetCall, ListCall } from "../../kube-client/call.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/**
 * Driver that an earlier submission of an attempt can have created. `none`: this process has just stored the record. `required`: it exists,
 * and the submission must not create another one, even if it is deleted meanwhile.
 */
export type EarlierDriver = "none" | "possible" | "required";

/**
 * Returns a client for a submission with what is known about an earlier driver. Reading one that is being deleted throws an error that a later
 * attempt can avoid: such a driver does not run to its end, and keeps its name until it is deleted.
 */
export function withEarlierDriver(client: KubeClient, earlier: EarlierDriver): KubeClient {
  switch (earlier) {
    case "none":
      return withoutDrivers(client);
    case "possible":
      return withoutTerminating(client);
    case "required":
      return {
        ...withoutTerminating(client),
        async create(call) {
          if (call.type === resourceTypes.pod) throw new Error("The driver was deleted meanwhile.");
          return client.create(call);
        },
      };
  }
}

function withoutTerminating(client: KubeClient): KubeClient {
  return {
    ...client,
    async list<T>(call: ListCall) {
      if (call.type !== resourceTypes.pod) return client.list<T>(call);
      const list = await client.list<T & Pod>(call);
      for (const pod of list.items) rejectTerminating(pod);
      return list;
    },
    async get<T>(call: GetCall) {
      if (call.type !== resourceTypes.pod) return client.get<T>(call);
      const pod = await client.get<T & Pod>(call);
      rejectTerminating(pod);
      return pod;
    },
  };
}

function rejectTerminating({ metadata, status }: Pod): void {
  const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
  if (metadata?.deletionTimestamp == null || hasEnded) return;
  throw new Error(`The pod ${metadata.name} of an earlier submission is being deleted.`);
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
