import type { StatefulSetSpec, StatefulSetStatus } from "kubernetes-types/apps/v1.d.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import type { PodSet } from "./pods.ts";

/** A stored stateful set. */
export interface StatefulSetObject extends PodSet {
  readonly spec: StatefulSetSpec & {
    readonly persistentVolumeClaimRetentionPolicy?: {
      readonly whenDeleted?: string;
      readonly whenScaled?: string;
    };
  };
  readonly status?: Partial<StatefulSetStatus>;
}

/** Whether an object of the collection `statefulsets.apps` is a stateful set. */
export function isStatefulSet(object: StoredObject): object is StatefulSetObject {
  return object.kind === "StatefulSet" && isObject(object["spec"]);
}
