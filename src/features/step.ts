import type { Issue } from "../errors/issue.ts";
import type {
  Container,
  ContainerPort,
  EnvVar,
  KubeResource,
  PodSpec,
  StringMap,
  Volume,
  VolumeMount,
} from "../kube/types.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import type { LogLine } from "../plan/log-line.ts";

/** Fields of a pod spec that a step may set, without the lists that several steps share. */
type PodScalars = Omit<PodSpec, "containers" | "initContainers" | "volumes">;

/** Fields of the role's container that a step may set, without the lists that several steps share. */
type ContainerScalars = Omit<Container, "env" | "ports" | "volumeMounts">;

/** One concern of a pod. It reads only the plan, and decides itself whether it applies. */
export interface FeatureStep<C extends PodConf = PodConf> {
  /** Spark's class name without package, e.g. `BasicDriverFeatureStep`; used by `excludedFeatureSteps`. */
  readonly name: string;
  /** Reports problems that prevent creating the step; called for excluded steps too, before any step contributes. */
  readonly check?: (conf: C) => readonly Issue[];
  /** Reports problems that prevent the contribution; not called for excluded steps. */
  readonly checkUse?: (conf: C) => readonly Issue[];
  /** Returns messages to log even if the step is excluded, as Spark's steps do when they are created. */
  readonly announce?: (conf: C) => readonly LogLine[];
  /** Returns the contribution: `{}` when the feature does not apply. */
  readonly contribute: (conf: C) => Contribution;
  /** The parts of `contribute`, for `explain`: each reads only what its own fields depend on. @default `contribute` alone */
  readonly parts?: readonly ContributionPart<C>[];
}

/** Part of a step's contribution. */
export type ContributionPart<C extends PodConf> = (conf: C) => Contribution;

/**
 * Additions of a step. It cannot remove anything.
 *
 * @example
 * ```ts
 * const contribution: Contribution = { labels: { team: "billing" } };
 * ```
 */
export interface Contribution {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly podSpec?: Partial<PodScalars>;
  readonly container?: Partial<ContainerScalars>;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly volumes?: readonly Volume[];
  readonly mounts?: readonly VolumeMount[];
  readonly initContainers?: readonly Container[];
  /** Spark settings that are passed to the driver. */
  readonly properties?: StringMap;
  /** Log messages of level WARN, as Spark prints them. */
  readonly warnings?: readonly string[];
  /** Objects that are created before the pod and deleted with it. */
  readonly preResources?: readonly KubeResource[];
  /** Objects that the pod owns. */
  readonly resources?: readonly KubeResource[];
}
