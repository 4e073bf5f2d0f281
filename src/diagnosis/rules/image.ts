import { localizingContainer } from "../../values/staged-entry.ts";
import type { ContainerView } from "../container-view.ts";
import type { Evidence } from "../diagnosis.ts";
import { eventEvidence, podEvidence, quote } from "../evidence.ts";
import { containerOf, eventTimes, lastEvent, type PodView } from "../pod-view.ts";
import { type PullFailure, pullFailures } from "../pull-failure.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import { sentence, titleOf, type View } from "../view.ts";
import { type PullProblem, pullProblemIn, pullProblems } from "./pull-problems.ts";

/** Time after which a pull in progress is reported (ms). */
const timeoutMs = 9_500;

function pullRule(problem: PullProblem): Rule {
  const { cause, remedy } = problem;
  return {
    cause,
    seen: "status of the waiting container (`ErrImagePull`, `ImagePullBackOff`) and the event `Failed to pull image`",
    remedy,
    find: ({ driver }) => {
      const failure = driver && pullFailures(driver).find(({ text }) => pullProblemIn(text) === problem);
      return failure && pullFinding(failure, problem);
    },
  };
}

/** Builds the finding for an image that cannot be pulled. */
export function pullFinding(failure: PullFailure, { problem, isTerminal, remedy }: PullProblem): Finding {
  const { pod, container, text, reported, evidence } = failure;
  const side = container.kind === "sidecar" ? "; the driver itself is not held up by it" : "";
  return {
    message: `The image ${container.image} of ${titleOf(pod, container)} ${problem}${side}: ${innermost(reported)}`,
    nextStep: container.name === localizingContainer && isTerminal(text) ? ownImage : remedy,
    key: imageKey(failure, problem),
    evidence,
    isTerminal: isTerminal(text),
  };
}

/** Next step for the image of Firesteel's init container, which no registry has until the user pushes it. */
const ownImage =
  "Build the image of the init container (firesteel image build spark-init-container --tag REGISTRY/NAME:TAG --push), and name it; or stage in Secrets, which need none (--staging secret).";

function imageKey({ container, pod }: PullFailure, problem: string): string {
  if (container.kind !== "main") return relatedKey(container);
  if (problem.includes("login")) return keys.pullSecrets;
  return pod.role === "driver" ? keys.image : keys.executorImage;
}

/** Finds the setting of a container that is not Spark's. */
function relatedKey({ name }: ContainerView): string {
  return name === localizingContainer ? keys.initImage : keys.template;
}

/** Returns the end of a chain of reasons, which is the most specific part. */
function innermost(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const parts = line.split(/: (?=\S)/);
  return parts.slice(-2).join(": ").trim();
}

const secretMissing: Rule = {
  cause: "image-pull-secret-missing",
  seen: "event `FailedToRetrieveImagePullSecret`, while the registry requires a login",
  remedy: "Create the pull secret in the namespace of the driver, or name another.",
  find: ({ driver }) => {
    const event = driver && lastEvent(driver, "FailedToRetrieveImagePullSecret");
    if (driver === undefined || event === undefined) return undefined;
    const failure = pullFailures(driver).find(({ text }) => pullProblemIn(text)?.cause === "image-unauthorized");
    if (failure === undefined) return undefined;
    const secret = /\(([^)]+)\)/.exec(event.message ?? "")?.[1] ?? "";
    return {
      message: `The pull secret ${secret} does not exist in ${driver.namespace}, and the registry requires a login for ${failure.container.image}.`,
      nextStep: `Create the secret ${secret} in the namespace ${driver.namespace}.`,
      key: keys.pullSecrets,
      evidence: [eventEvidence(event), ...failure.evidence],
    };
  },
};

const nameInvalid: Rule = {
  cause: "image-name-invalid",
  seen: "status of the waiting container (`InvalidImageName`) and the event `InspectFailed`",
  remedy: "Repository names are lower case; correct the name of the image.",
  find: ({ driver }) =>
    driver &&
    waitingFinding(driver, /^InvalidImageName$/, (image, title) => ({
      message: `${image} is not a valid image name (of ${title}).`,
      key: keys.image,
    })),
};

const neverPull: Rule = {
  cause: "image-never-pull",
  seen: "status of the waiting container (`ErrImageNeverPull`)",
  remedy: "Load the image on the nodes, or set the pull policy to IfNotPresent.",
  find: ({ driver }) =>
    driver &&
    waitingFinding(driver, /^ErrImageNeverPull$/, (image, title) => ({
      message: `The image ${image} of ${title} is not on the node, and the pull policy is Never.`,
      key: keys.pullPolicy,
    })),
};

/** Builds the finding for the first container that waits for a reason. An event may show it before the status does. */
export function waitingFinding(
  pod: PodView,
  reason: RegExp,
  explain: (image: string, title: string) => Pick<Finding, "message" | "key">,
): Finding | undefined {
  for (const container of pod.containers) {
    const { waiting } = container.state;
    const event = pod.events.findLast(
      ({ message = "", ...rest }) =>
        /^Error: /.test(message) &&
        reason.test(message.slice(7)) &&
        containerOf({ ...rest, message }) === container.name,
    );
    const isWaiting = reason.test(waiting?.reason ?? "");
    if (container.hasStarted || (!isWaiting && event === undefined)) continue;
    const { message, key } = explain(container.image, titleOf(pod, container));
    const evidence: readonly Evidence[] = [
      ...(isWaiting ? [quote(podEvidence(pod.role, "x").in, waiting?.reason ?? "")] : []),
      ...(isWaiting ? [podEvidence(pod.role, waiting?.message ?? "")] : []),
      ...(event === undefined ? [] : [eventEvidence(event)]),
    ].filter(({ text }) => text !== "");
    return { message, key: container.kind === "main" ? key : relatedKey(container), evidence };
  }
  return undefined;
}

const slowPull: Rule = {
  cause: "image-pull-slow",
  seen: "event `Pulling` ten seconds ago or more, and none since that it is pulled or failed",
  remedy: "Wait; a smaller image, or one that is on the nodes already, starts sooner.",
  find: (view) => {
    const { driver, now } = view;
    const slow = driver?.containers.find((container) => !container.hasStarted && isPulling(view, container.name));
    const event = driver && slow && lastPull(driver, slow.name);
    if (driver === undefined || slow === undefined || event === undefined) return undefined;
    const seconds = Math.round((now - eventTimes(event).last) / 1000);
    return {
      message: `${sentence(titleOf(driver, slow))} waits for its image ${slow.image}, which is being pulled for ${seconds} s now; nothing has failed.`,
      key: slow.kind === "main" ? keys.image : relatedKey(slow),
      evidence: [eventEvidence(event)],
      isTerminal: false,
    };
  },
};

function lastPull(driver: PodView, name: string) {
  return driver.events.findLast(
    (event) =>
      containerOf(event) === name && /^(Pulling|Pulled|Failed|BackOff|Created|Started)$/.test(event.reason ?? ""),
  );
}

function isPulling({ driver, now }: View, name: string): boolean {
  const event = driver && lastPull(driver, name);
  return event?.reason === "Pulling" && now - eventTimes(event).last >= timeoutMs;
}

/** Rules for causes that keep the image of a driver-pod container from being available. */
export const imageRules: readonly Rule[] = [nameInvalid, neverPull, secretMissing, ...pullProblems.map(pullRule)];

/** Rules for an image that is being pulled. */
export const slowImageRules: readonly Rule[] = [slowPull];
