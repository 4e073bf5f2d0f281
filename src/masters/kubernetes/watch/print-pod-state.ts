import type { ContainerState, ContainerStatus, Pod } from "../../../kube/types.ts";
import { quotedLine } from "../../without-driver-fields.ts";

type Pair = readonly [key: string, value: string | undefined];

/**
 * Prints the state of a pod in Spark's format: each line begins with a newline, so the text does, too.
 *
 * Source: Spark KubernetesUtils.formatPodState; recorded with Spark 3.5.9 to 4.3.0.
 */
export function printPodState({ metadata, spec, status }: Pod): string {
  const labels = Object.entries(metadata?.labels ?? {}).map(([key, value]) => `${key} -> ${value}`);
  return printPairs(1, [
    ["pod name", metadata?.name],
    ["namespace", metadata?.namespace],
    ["labels", labels.join(", ")],
    ["pod uid", metadata?.uid],
    ["creation time", metadata?.creationTimestamp],
    ["service account name", spec?.serviceAccountName],
    ["volumes", (spec?.volumes ?? []).map(({ name }) => name).join(", ")],
    ["node name", spec?.nodeName],
    ["start time", status?.startTime],
    ["phase", status?.phase],
  ]).concat(`\n\t container status: ${printContainers(2, status?.containerStatuses ?? []) || "N/A"}`);
}

/**
 * Prints the container statuses of an ended driver: `Container final statuses:`, an empty line, and a block per container.
 *
 * @param lastContainer name of the container whose block comes last. @default the order of the pod
 */
export function printFinalStatuses(pod: Pod, lastContainer?: string): string {
  const statuses = pod.status?.containerStatuses ?? [];
  const isLast = ({ name }: ContainerStatus) => name === lastContainer;
  const ordered = [...statuses.filter((status) => !isLast(status)), ...statuses.filter(isLast)];
  return `Container final statuses:\n\n${printContainers(1, ordered)}`;
}

function printContainers(indent: number, statuses: readonly ContainerStatus[]): string {
  return statuses
    .map(({ name, image, state }) =>
      printPairs(indent, [["container name", name], ["container image", image], ...statePairs(state ?? {})]),
    )
    .join("\n\n");
}

function statePairs({ running, terminated, waiting }: ContainerState): readonly Pair[] {
  if (running !== undefined) {
    return [
      ["container state", "running"],
      ["container started at", running.startedAt],
    ];
  }
  if (terminated !== undefined) {
    return [
      ["container state", "terminated"],
      ["container started at", terminated.startedAt],
      ["container finished at", terminated.finishedAt],
      ["exit code", String(terminated.exitCode)],
      ["termination reason", terminated.reason],
    ];
  }
  if (waiting !== undefined) {
    return [
      ["container state", "waiting"],
      ["pending reason", waiting.reason],
    ];
  }
  return [["container state", undefined]];
}

function printPairs(indent: number, pairs: readonly Pair[]): string {
  return pairs.map(([key, value]) => `\n${"\t".repeat(indent)} ${key}: ${quotedLine(value || "N/A")}`).join("");
}
