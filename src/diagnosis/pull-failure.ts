import type { Event } from "../kube/types.ts";
import type { ContainerView } from "./container-view.ts";
import type { Evidence } from "./diagnosis.ts";
import { eventEvidence, podEvidence } from "./evidence.ts";
import { containerOf, type PodView } from "./pod-view.ts";

/** Failed pull of an image. */
export interface PullFailure {
  readonly pod: PodView;
  readonly container: ContainerView;
  /** All messages of the kubelet, without the image name, which may contain words like `denied`. */
  readonly text: string;
  /** The kubelet's messages, verbatim. */
  readonly reported: string;
  readonly evidence: readonly Evidence[];
}

const pullReasons = [
  "ErrImagePull",
  "ImagePullBackOff",
  "RegistryUnavailable",
  "ErrRegistryUnavailable",
  "SignatureValidationFailed",
];

/** Finds the containers of a pod whose image cannot be pulled. */
export function pullFailures(pod: PodView): readonly PullFailure[] {
  return pod.containers.flatMap((container) => {
    if (container.hasStarted || container.status?.state?.waiting?.reason === "CreateContainerError") return [];
    const { reason = "", message = "" } = container.state.waiting ?? {};
    const event = failedPull(pod, container);
    const isWaiting = pullReasons.includes(reason);
    if (!isWaiting && (event === undefined || wasPulledAfter(pod, container, event))) return [];
    const reported = `${reasonIn(message)}\n${reasonIn(event?.message ?? "")}`.trim();
    if (reported === "") return [];
    const text = withoutName(reported, container.image);
    const evidence = [
      ...(isWaiting ? [podEvidence(pod.role, message || reason)] : []),
      ...(event === undefined ? [] : [eventEvidence(event)]),
    ];
    return [{ pod, container, text, reported, evidence }];
  });
}

/** Finds the event with the reason, which `Error: ErrImagePull` and `Back-off pulling image` lack. */
export function failedPull(pod: PodView, container: ContainerView): Event | undefined {
  return pod.events.findLast(
    (event) =>
      event.reason === "Failed" &&
      /^Failed to pull image|^Error: .*pull/.test(event.message ?? "") &&
      !/^Error: (ErrImagePull|ImagePullBackOff)$/.test(event.message ?? "") &&
      containerOf(event) === container.name,
  );
}

function wasPulledAfter(pod: PodView, container: ContainerView, failed: Event): boolean {
  return pod.events.some(
    (event) => event.reason === "Pulled" && containerOf(event) === container.name && event !== failed,
  );
}

/** Removes the parts of a message that contain no reason. */
function reasonIn(message: string): string {
  return message.replace(/^Back-off pulling image "[^"]*":? ?/, "").replace(/^Failed to pull image "[^"]*":? ?/, "");
}

/** Removes the image's name: as specified, without its tag, and as a repository path. */
export function withoutName(text: string, image: string): string {
  const untagged = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const path = untagged.replace(/^[^/]*[.:][^/]*\//, "");
  return [image, untagged, path]
    .filter((name) => name.length > 3)
    .reduce((rest, name) => rest.replaceAll(name, "it"), text);
}
