import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { PodSpec } from "../../../kube/types.ts";
import type { Draft } from "../object.ts";

/** A stored pod. */
export type PodObject = Draft & { spec: PodSpec; status: NonNullable<Pod["status"]> };
