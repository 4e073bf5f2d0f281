import { parseInstant } from "../../values/instant.ts";
import { eventEvidence, fieldEvidence, podEvidence } from "../evidence.ts";
import { lastEvent, type PodView } from "../pod-view.ts";
import type { Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import { objectsOf, type View } from "../view.ts";
import { claimNames } from "./scheduling-reasons.ts";

/** Time without events about a pod (ms). Creation timestamps have a resolution of 1 s. */
const timeoutMs = 9_500;
/** Time without events for the default scheduler, which always exists but may be busy (ms). */
const defaultSchedulerTimeoutMs = 60_000;

const claimMissing: Rule = {
  cause: "resource-claim-missing",
  seen: "nothing: the pod stays `Pending` without a condition or an event",
  remedy: "Create the ResourceClaim, or correct resourceClaims in the pod template.",
  find: (view) => {
    const driver = unresponsiveDriver(view, timeoutMs);
    if (driver === undefined || driver.isScheduled) return undefined;
    const there = objectsOf(view, "ResourceClaim").map(({ metadata }) => metadata.name);
    const missing = claimNames(driver.spec).filter((name) => !there.includes(name));
    if (missing.length === 0) return undefined;
    return {
      message: `The ResourceClaim ${missing.join(", ")} that the driver pod names does not exist in ${driver.namespace}; the scheduler says nothing and waits for it.`,
      key: keys.template,
      evidence: [podEvidence("driver", missing[0] ?? ""), fieldEvidence("driver", "phase", "Pending")],
    };
  },
};

const claimTemplateMissing: Rule = {
  cause: "resource-claim-missing",
  seen: "event `FailedResourceClaimCreation`",
  remedy: "Create the ResourceClaimTemplate, or correct resourceClaims in the pod template.",
  find: ({ driver }) => {
    const event = driver && lastEvent(driver, "FailedResourceClaimCreation");
    if (driver === undefined || event === undefined || driver.isScheduled || driver.isTerminating) return undefined;
    const { message = "" } = event;
    const template = /resource claim template "([^"]+)"/.exec(message)?.[1];
    return {
      message:
        template === undefined
          ? `The ResourceClaim of the driver pod cannot be created: ${message}`
          : `The ResourceClaim of the driver pod cannot be created, as the ResourceClaimTemplate ${template} does not exist in ${driver.namespace}.`,
      key: keys.template,
      evidence: [eventEvidence(event)],
    };
  },
};

const schedulerUnknown: Rule = {
  cause: "scheduler-unknown",
  seen: "nothing: the pod stays `Pending` without a condition or an event, and names a scheduler",
  remedy: "Install that scheduler, or correct its name.",
  find: (view) => {
    const scheduler = view.driver?.spec.schedulerName ?? "default-scheduler";
    const driver = unresponsiveDriver(view, scheduler === "default-scheduler" ? defaultSchedulerTimeoutMs : timeoutMs);
    if (driver === undefined || driver.isScheduled) return undefined;
    return {
      message: `The pod names the scheduler ${scheduler}, and no scheduler has processed it: no scheduler with this name is running.`,
      key: keys.schedulerName,
      evidence: [fieldEvidence("driver", "schedulerName", scheduler)],
    };
  },
};

const nodeMissing: Rule = {
  cause: "node-missing",
  seen: "nothing: the pod is bound to a node that is not in the list of nodes",
  remedy: "Drop nodeName from the pod template, or correct it.",
  find: (view) => {
    // The cluster removes such pods later.
    const driver = driverWithoutEvents(view, timeoutMs);
    const node = driver?.spec.nodeName ?? "";
    const nodes = objectsOf(view, "Node").map(({ metadata }) => metadata.name);
    if (driver === undefined || node === "" || nodes.includes(node)) return undefined;
    // A scheduler chooses only existing nodes. Without a list of nodes, the missing events are the only evidence.
    const wasScheduled = driver.events.some(({ reason }) => reason === "Scheduled");
    if (wasScheduled && nodes.length === 0) return undefined;
    return {
      message: `The driver pod is bound to the node ${node}, which does not exist.`,
      key: keys.template,
      evidence: [fieldEvidence("driver", "nodeName", node)],
    };
  },
};

/** Returns the driver if its pod had no events for a time. */
function unresponsiveDriver(view: View, ms: number): PodView | undefined {
  return view.driver?.isTerminating === true || view.driver?.isDeleted === true
    ? undefined
    : driverWithoutEvents(view, ms);
}

function driverWithoutEvents({ driver, stage, now }: View, ms: number): PodView | undefined {
  const isReportable = stage === "heldUp" || (stage === "endedBadly" && driver?.isTerminating === true);
  if (driver === undefined || !isReportable) return undefined;
  const { conditions = [], containerStatuses = [], startTime } = driver.pod.status ?? {};
  const hasSchedulerEvent =
    containerStatuses.length > 0 ||
    startTime !== undefined ||
    conditions.some(({ type, status }) => type === "PodScheduled" && status === "False") ||
    driver.events.some(({ reason }) => reason !== "Scheduled");
  const created = parseInstant(driver.pod.metadata?.creationTimestamp);
  return !hasSchedulerEvent && created !== undefined && now - created >= ms ? driver : undefined;
}

/** Rules for missing events that must come before the cluster itself removes the pod. */
export const missingNodeRules: readonly Rule[] = [nodeMissing];

/** Rules for missing events, or an event that no scheduler wrote. */
export const noEventRules: readonly Rule[] = [claimTemplateMissing, claimMissing, schedulerUnknown];
