import type { SparkConf } from "../conf/spark-conf.ts";
import type { SubmissionObject } from "../explain/submission-objects.ts";
import type { KubeResource, PodSpec } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";

/** Role of a pod of the application. */
export type Role = "driver" | "executor";

/** A pod of the application. */
export interface PlannedPod {
  readonly role: Role;
  readonly metadata: KubeResource["metadata"];
  readonly spec: PodSpec;
}

/** Planned submission, as the checks read it. */
export interface PlannedSubmission {
  readonly namespace: string;
  /** Settings that the driver reads. */
  readonly conf: SparkConf;
  /** All objects: those of the submission, then those of its first executor. */
  readonly objects: readonly SubmissionObject[];
  readonly pods: readonly PlannedPod[];
  /** Name of the ConfigMap that the driver creates for its executors. */
  readonly executorConfMap: string | undefined;
}

/** Lists the pods among the objects of a submission. */
export function podsIn(objects: readonly SubmissionObject[]): readonly PlannedPod[] {
  return objects.flatMap(({ part, object }) => {
    const { metadata, spec } = object;
    if (object.kind !== "Pod" || !isPodSpec(spec)) return [];
    return [{ role: part === "driver" ? ("driver" as const) : ("executor" as const), metadata, spec }];
  });
}

export function isPodSpec(spec: unknown): spec is PodSpec {
  return isFields(spec) && Array.isArray(spec["containers"]);
}

/** Names an object for users, e.g. `Secret db`. */
export function titleOf({ kind, metadata }: KubeResource): string {
  return `${kind} ${metadata.name ?? ""}`;
}
