import type { ContainerView } from "./container-view.ts";
import type { Evidence } from "./diagnosis.ts";
import { eventEvidence, podEvidence } from "./evidence.ts";
import { containerOf, type PodView } from "./pod-view.ts";

/** Message of kubelet and runtime about a container that cannot start. */
export interface StartText {
  readonly container: ContainerView;
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

const configReasons = ["CreateContainerConfigError"];
const startReasons = [
  "CreateContainerError",
  "RunContainerError",
  "StartError",
  "ContainerCannotRun",
  "PreCreateHookError",
  "PreStartHookError",
  "PostStartHookError",
];

/** Finds containers whose configuration cannot be created: a Secret, a ConfigMap or a user is missing. */
export function configTexts(pod: PodView): readonly StartText[] {
  return textsOf(pod, configReasons);
}

/** Finds containers that the runtime cannot create or start. */
export function startTexts(pod: PodView): readonly StartText[] {
  return textsOf(pod, startReasons);
}

function textsOf(pod: PodView, reasons: readonly string[]): readonly StartText[] {
  return pod.containers.flatMap((container) => {
    const { waiting, terminated } = container.state;
    const reported = [waiting, terminated, container.end].find((state) => reasons.includes(state?.reason ?? ""));
    const event = pod.events.findLast(
      ({ reason, ...rest }) =>
        reason === "Failed" && containerOf({ ...rest, reason }) === container.name && isStart(rest.message),
    );
    const isEarly = reported === undefined && !container.hasStarted && waiting?.reason === "ContainerCreating";
    if (reported === undefined && (!isEarly || event === undefined)) return [];
    const evidence = [
      ...(reported === undefined
        ? []
        : [podEvidence(pod.role, reported.reason ?? ""), podEvidence(pod.role, reported.message ?? "")]),
      ...(event === undefined ? [] : [eventEvidence(event)]),
    ].filter(({ text }) => text !== "");
    return [{ container, text: reported?.message ?? event?.message?.replace(/^Error: /, "") ?? "", evidence }];
  });
}

/** Whether a message is about the start of a container, not about its image. */
function isStart(message = ""): boolean {
  return (
    /^Error: /.test(message) && !/^Error: (Err\w+|ImagePullBackOff|InvalidImageName|ImageInspectError)$/.test(message)
  );
}
