import type { Container, ContainerState, ContainerStatus } from "../kube/types.ts";
import type { Evidence } from "./diagnosis.ts";
import type { LogLine, ObservedPod } from "./observation.ts";

/** Container of a pod: its spec, status and log. */
export interface ContainerView {
  readonly name: string;
  /** `main` is the container in which Spark runs. */
  readonly kind: "main" | "init" | "sidecar";
  /** Whether the container is an init container that runs as long as the pod. */
  readonly isNativeSidecar: boolean;
  readonly image: string;
  readonly spec: Container | undefined;
  readonly status: ContainerStatus | undefined;
  readonly state: ContainerState;
  /** Last termination of the container. For a restarting container, that of the previous run. */
  readonly end: ContainerEnd | undefined;
  readonly hasStarted: boolean;
  readonly log: readonly LogLine[];
  /** Name of its log as a source of evidence. */
  readonly logSource: Evidence["in"];
}

/** Termination of a container. */
type ContainerEnd = NonNullable<ContainerState["terminated"]>;

/** Builds the view of one container. */
export function viewContainer(
  { pod, logs }: ObservedPod,
  spec: Container,
  { kind, role }: { readonly kind: ContainerView["kind"]; readonly role: "driver" | "executor" },
): ContainerView {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const statuses = kind === "init" ? initContainerStatuses : containerStatuses;
  const status = statuses.find(({ name }) => name === spec.name);
  const state = status?.state ?? {};
  const end = state.terminated ?? status?.lastState?.terminated;
  return {
    name: spec.name,
    kind,
    isNativeSidecar: kind === "init" && spec.restartPolicy === "Always",
    image: spec.image ?? status?.image ?? "",
    spec,
    status,
    state,
    end: state.running === undefined ? end : undefined,
    hasStarted: state.running !== undefined || end !== undefined,
    log: (logs[spec.name] ?? []).filter(({ text }) => !text.startsWith(noLog)),
    logSource: role === "executor" ? "executorLog" : logSources[kind],
  };
}

const logSources = { main: "log", init: "initLog", sidecar: "sideCarLog" } as const;

/** Message of the kubelet in place of a log that was deleted. */
const noLog = "unable to retrieve container logs for ";
