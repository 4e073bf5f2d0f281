import type { CauseName } from "../causes.ts";
import { eventEvidence } from "../evidence.ts";
import { eventCount, lastEvent, type PodView } from "../pod-view.ts";
import { failedPull, withoutName } from "../pull-failure.ts";
import type { Finding, Rule } from "../rule.ts";
import { parseSchedulerMessage } from "../scheduler-message.ts";
import type { View } from "../view.ts";
import { pullProblemIn, pullProblems } from "./pull-problems.ts";
import { unschedulableFor } from "./scheduling.ts";
import { schedulingReasons } from "./scheduling-reasons.ts";
import { isOfSubmission } from "./volumes.ts";

/** Builds a rule for a problem that delayed the driver and is resolved: the driver made progress, runs, or succeeded. */
function resolvedRule(cause: CauseName, find: (view: View, driver: PodView) => PassedFinding | undefined): Rule {
  return {
    cause,
    seen: "events from before the driver ran; it resolved by itself",
    remedy: "None: it ran.",
    find: (view) => {
      const { driver, stage } = view;
      const isResolved =
        stage === "running" || stage === "endedWell" || (stage === "heldUp" && driver?.isScheduled === true);
      if (driver === undefined || !isResolved) return undefined;
      const found = find(view, driver);
      if (found === undefined || found.cause !== cause) return undefined;
      const { cause: _, ...finding } = found;
      return { ...finding, isTerminal: false, isResolved: true };
    },
  };
}

type PassedFinding = Pick<Finding, "message" | "nextStep" | "evidence"> & { readonly cause: CauseName };

function lateNode(view: View, driver: PodView): PassedFinding | undefined {
  const event = lastEvent(driver, "FailedScheduling");
  if (event === undefined) return undefined;
  const evidence = [eventEvidence(event)];
  const found = unschedulableFor(parseSchedulerMessage(event.message ?? "", driver, view), evidence);
  if (found === undefined) return undefined;
  return {
    cause: found.cause,
    message: `The driver waited for a node, and has one now. The scheduler reported: ${event.message ?? ""}`,
    evidence,
  };
}

function lateImage(_view: View, driver: PodView): PassedFinding | undefined {
  const event = failedPull(driver, driver.main);
  if (!driver.main.hasStarted) return undefined;
  const problem = event && pullProblemIn(withoutName(event.message ?? "", driver.main.image));
  if (event === undefined || problem === undefined) return undefined;
  return {
    cause: problem.cause,
    message: `The image ${driver.main.image} could not be pulled at first; a later pull succeeded, and the driver ran.`,
    nextStep: "None: the pull worked in the end.",
    evidence: [eventEvidence(event)],
  };
}

/** Finds a late ConfigMap. A first failed mount is usual, because Spark creates the pod before its ConfigMap; a second one is not. */
function lateConfigMap(view: View, driver: PodView): PassedFinding | undefined {
  if (view.stage !== "endedWell") return undefined;
  const event = lastEvent(driver, "FailedMount");
  const name = /configmaps? "([^"]+)" not found/.exec(event?.message ?? "")?.[1];
  if (event === undefined || name === undefined || !isOfSubmission(name, view) || eventCount(event) < 2)
    return undefined;
  return {
    cause: "config-map-missing",
    message: `The ConfigMap ${name} came later than the pod; the kubelet retried, and the driver ran.`,
    nextStep: "None: a failed first attempt is normal.",
    evidence: [eventEvidence(event)],
  };
}

const schedulingCauses: readonly CauseName[] = [
  ...new Set<CauseName>([...schedulingReasons.map(({ cause }) => cause), "unschedulable-mixed"]),
];
const pullCauses: readonly CauseName[] = [...new Set(pullProblems.map(({ cause }) => cause))];

/** Rules for resolved problems. They come last, when nothing else is wrong. */
export const resolvedRules: readonly Rule[] = [
  ...pullCauses.map((cause) => resolvedRule(cause, lateImage)),
  ...schedulingCauses.map((cause) => resolvedRule(cause, lateNode)),
  resolvedRule("config-map-missing", lateConfigMap),
];
