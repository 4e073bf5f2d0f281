import type { StatefulSetSpec, StatefulSetStatus } from "kubernetes-types/apps/v1.d.ts";
import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import type { PodSet } from "./pods.ts";

/** A stateful set as it is stored. */
export interface StatefulSetObject extends PodSet {
  readonly spec: StatefulSetSpec & {
    readonly persistentVolumeClaimRetentionPolicy?: {
      readonly whenDeleted?: string;
      readonly whenScaled?: string;
    };
  };
  readonly status?: Partial<StatefulSetStatus>;
}

/** Narrows what the collection `statefulsets.apps` holds. */
export function isStatefulSet(object: StoredObject): object is StatefulSetObject {
  return object.kind === "StatefulSet" && isObject(object["spec"]);
}
