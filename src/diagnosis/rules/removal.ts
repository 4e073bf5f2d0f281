import { isFinalPhase } from "../../kube/pod-phase.ts";
import { isFields } from "../../values/fields.ts";
import { parseInstant } from "../../values/instant.ts";
import type { Evidence } from "../diagnosis.ts";
import { eventEvidence, podEvidence, quote } from "../evidence.ts";
import { conditionOf, lastEvent, type PodView } from "../pod-view.ts";
import type { Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import { objectsOf, type View } from "../view.ts";
import { nodeTaints } from "./scheduling-reasons.ts";

const deadline: Rule = {
  cause: "deadline-exceeded",
  seen: "status of the pod (`DeadlineExceeded`); its event is of the type Normal",
  remedy: "Raise or drop activeDeadlineSeconds in the pod template.",
  find: ({ driver, stage }) => {
    const event = driver && lastEvent(driver, "DeadlineExceeded");
    if (driver === undefined || stage === "endedWell") return undefined;
    if (driver.reason !== "DeadlineExceeded" && event === undefined) return undefined;
    const seconds = driver.spec.activeDeadlineSeconds;
    return {
      message: `The driver pod ran longer than its deadline${seconds === undefined ? "" : ` (activeDeadlineSeconds) of ${seconds} s`} and was ended.`,
      key: keys.template,
      evidence: withEvent(driver.reason === "" ? [] : [podEvidence("driver", driver.reason)], event),
    };
  },
};

const preempted: Rule = {
  cause: "preempted",
  seen: "condition `DisruptionTarget` of the pod (`PreemptionByScheduler`) and the event `Preempted`",
  remedy: "Submit again, with a higher priority class or on other nodes.",
  find: ({ driver, stage, events }) => {
    if (driver === undefined || stage === "endedWell") return undefined;
    const disruption = disruptionOf(driver);
    const event = lastEvent(driver, "Preempted", "Preempting");
    const isTarget = /^PreemptionBy/.test(disruption?.reason ?? "");
    if (!isTarget && event === undefined && driver.reason !== "Preempting") return undefined;
    const uid = /^Preempted by (?:a )?pod (\S+)/.exec(event?.message ?? "")?.[1];
    const by = events.find(({ involvedObject }) => involvedObject?.uid === uid)?.involvedObject.name ?? uid;
    return {
      message: `The driver was preempted: the scheduler removed it for a pod of higher priority${by === undefined ? "" : ` (${by})`}.`,
      key: keys.template,
      evidence: withEvent(isTarget ? [podEvidence("driver", disruption?.reason ?? "")] : [], event),
    };
  },
};

const evictedByApi: Rule = {
  cause: "evicted-by-api",
  seen: "condition `DisruptionTarget` of the pod (`EvictionByEvictionAPI`)",
  remedy: "Submit again; protect drivers with a PodDisruptionBudget.",
  find: ({ driver, stage }) => {
    if (driver === undefined || stage === "endedWell") return undefined;
    const disruption = disruptionOf(driver);
    if (disruption?.reason !== "EvictionByEvictionAPI") return undefined;
    return {
      message: `The driver pod was evicted through the API, as kubectl drain does${onNode(driver)}.`,
      evidence: [
        podEvidence("driver", disruption.reason),
        podEvidence("driver", disruption.message ?? disruption.reason),
      ],
    };
  },
};

const evictedByTaint: Rule = {
  cause: "evicted-by-taint",
  seen: "condition `DisruptionTarget` of the pod (`DeletionByTaintManager`) and the event `TaintManagerEviction`",
  remedy: "Submit again; tolerate the taint in the pod template, or use other nodes.",
  find: (view) => {
    const { driver, stage } = view;
    if (driver === undefined || stage === "endedWell") return undefined;
    const disruption = disruptionOf(driver);
    const isTarget = disruption?.reason === "DeletionByTaintManager";
    const event = lastEvent(driver, "TaintManagerEviction");
    if (!isTarget && !/^Marking for deletion|deleting/i.test(event?.message ?? "")) return undefined;
    const taints = taintsOfNode(view, driver.spec.nodeName).filter((taint) => taint.endsWith(":NoExecute"));
    return {
      message: `A NoExecute taint${taints.length === 0 ? "" : ` (${taints.join(", ")})`} evicted the driver from its node ${driver.spec.nodeName ?? ""}.`,
      key: keys.template,
      evidence: withEvent(isTarget ? [podEvidence("driver", disruption.reason ?? "")] : [], event),
    };
  },
};

const evictedStorage: Rule = {
  cause: "evicted-storage",
  seen: "status of the pod (`Evicted`) and its message",
  remedy: "Raise the limit of ephemeral storage, or write to a volume.",
  find: ({ driver }) => {
    if (driver === undefined || !isEvicted(driver) || !isStorage(evictionText(driver))) return undefined;
    const text = evictionText(driver);
    const limit = driver.main.spec?.resources?.limits?.["ephemeral-storage"];
    const amount = limit === undefined || text.includes(limit) ? "" : ` (its limit is ${limit})`;
    return {
      message: `The driver was evicted: it used too much ephemeral local storage${amount}: ${text.trim()}`,
      key: keys.template,
      evidence: evictionEvidence(driver),
    };
  },
};

const evictedPressure: Rule = {
  cause: "evicted-pressure",
  seen: "status of the pod (`Evicted`) and its message",
  remedy: "Request as much memory as the driver uses, so that the node is not overcommitted.",
  find: ({ driver }) => {
    if (driver === undefined || !isEvicted(driver) || isStorage(evictionText(driver))) return undefined;
    return {
      message: `The kubelet evicted the driver${onNode(driver)}: ${evictionText(driver).trim()}`,
      key: keys.driverMemory,
      evidence: evictionEvidence(driver),
    };
  },
};

function isEvicted(driver: PodView): boolean {
  return driver.reason === "Evicted" || lastEvent(driver, "Evicted") !== undefined;
}

function evictionText(driver: PodView): string {
  return driver.reason === "Evicted" ? driver.message : (lastEvent(driver, "Evicted")?.message ?? "");
}

function isStorage(text: string): boolean {
  return /ephemeral|storage|emptyDir|\bdisk\b|nodefs|imagefs|inodes|low on resource: (ephemeral-storage|inodes)/i.test(
    text,
  );
}

function evictionEvidence(driver: PodView): readonly Evidence[] {
  const status =
    driver.reason === "Evicted" ? [podEvidence("driver", "Evicted"), podEvidence("driver", driver.message)] : [];
  return withEvent(status, lastEvent(driver, "Evicted"));
}

const refused: Rule = {
  cause: "node-refused-pod",
  seen: "status of the pod, which failed before a container was created (`OutOfcpu`, `NodeAffinity`, `AppArmor`, …)",
  remedy: "Let the scheduler choose the node (no nodeName), and request what the nodes have.",
  find: ({ driver, stage }) => {
    if (driver === undefined || stage !== "endedBadly" || driver.containers.some(({ hasStarted }) => hasStarted))
      return undefined;
    const isRejectionEvent =
      /^Pod was rejected|^Pod Predicate|^Predicate |^Pod admission|didn't have enough|^Cannot enforce AppArmor|forbidden sysctl/i.test(
        driver.message,
      );
    const { reason, message } = driver;
    if (
      !isRejectionEvent &&
      !/^(OutOf|Node(Affinity|Name|Ports|Selector)|SysctlForbidden|AppArmor|UnexpectedAdmissionError|TopologyAffinityError|PodOS|InvalidNodeInfo|NoNewPrivs|ProcMount)/.test(
        reason,
      )
    )
      return undefined;
    const event = lastEvent(driver, reason);
    return {
      message: `The node ${driver.spec.nodeName ?? ""} rejected the driver pod (${reason}): ${message.replace(/^Pod was rejected: /, "").trim()}`,
      key: /cpu/.test(reason) ? keys.driverRequestCores : /memory/.test(reason) ? keys.driverMemory : keys.template,
      evidence: withEvent([podEvidence("driver", reason), podEvidence("driver", message)], event),
    };
  },
};

const nodeLost: Rule = {
  cause: "node-lost",
  seen: "event `NodeNotReady`, and the node, whose kubelet does not report any more",
  remedy: "Check the node; submit again if the driver does not come back.",
  find: (view) => {
    const { driver, stage } = view;
    if (driver === undefined || !isAlive(driver, stage)) return undefined;
    const event = lastEvent(driver, "NodeNotReady");
    const lostReason = lostNode(view, driver);
    const isCollected = isTakenAway(driver);
    if (event === undefined && lostReason === undefined && !isCollected) return undefined;
    if (event !== undefined && lostReason === undefined && isReadyAgain(driver)) return undefined;
    return {
      message: `The node ${driver.spec.nodeName ?? ""} of the driver stopped reporting; the driver may still run there, or have ended.`,
      evidence: [
        ...(event === undefined ? [] : [eventEvidence(event)]),
        ...(isCollected ? [podEvidence("driver", disruptionOf(driver)?.reason ?? driver.reason)] : []),
        ...(lostReason === undefined ? [] : [quote("object", lostReason)]),
      ],
      isTerminal: driver.isDeleted || isCollected,
    };
  },
};

function isAlive(driver: PodView, stage: View["stage"]): boolean {
  if (stage === "running") return true;
  return (stage === "heldUp" && driver.isScheduled) || isTakenAway(driver);
}

function isTakenAway(driver: PodView): boolean {
  return disruptionOf(driver)?.reason === "DeletionByPodGC" || driver.reason === "NodeLost";
}

function isReadyAgain(driver: PodView): boolean {
  return conditionOf(driver, "Ready")?.status === "True";
}

/** Describes why a node counts as lost at this moment. `undefined` if it does not. */
function lostNode(view: View, driver: PodView): string | undefined {
  const node = objectsOf(view, "Node").find(({ metadata }) => metadata.name === driver.spec.nodeName);
  const status = isFields(node?.["status"]) ? node["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"].filter(isFields) : [];
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready["status"] === "True") return undefined;
  const since = parseInstant(String(ready["lastTransitionTime"]));
  return since !== undefined && view.now < since ? undefined : String(ready["reason"] ?? ready["message"] ?? "Ready");
}

const deleted: Rule = {
  cause: "deleted",
  seen: "`deletionTimestamp` of the pod, before its driver had ended",
  remedy: "Ask who deleted it; submit again if it was deleted by mistake.",
  find: ({ driver }) => {
    if (driver === undefined || !(driver.isTerminating || driver.isDeleted) || hadEnded(driver)) return undefined;
    const event = lastEvent(driver, "Killing");
    return {
      message: `The driver pod was deleted ${driver.main.hasStarted ? "while it ran" : "before it ran"}; a user or another program requested it.`,
      evidence: withEvent([podEvidence("driver", driver.isTerminating ? "deletionTimestamp" : driver.name)], event),
    };
  },
};

/** Returns whether the driver ended before its deletion was requested. A driver ended by the deletion's signal did not end by itself. */
function hadEnded({ main, pod, phase, spec }: PodView): boolean {
  if (main.end === undefined) return isFinalPhase(phase);
  const finished = parseInstant(main.end.finishedAt);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
  const until = parseInstant(deletionTimestamp);
  if (finished === undefined || until === undefined) return true;
  // The last deletion has a grace period of 0 and hides the time of the first one.
  const latest = until - (deletionGracePeriodSeconds + (spec.terminationGracePeriodSeconds ?? 30)) * 1000;
  return finished < latest || ![137, 143].includes(main.end.exitCode);
}

function disruptionOf(driver: PodView) {
  const condition = conditionOf(driver, "DisruptionTarget");
  return condition?.status === "True" ? condition : undefined;
}

function taintsOfNode(view: View, name: string | undefined): readonly string[] {
  return objectsOf(view, "Node").flatMap(({ metadata, spec }) => (metadata.name === name ? nodeTaints(spec) : []));
}

function onNode({ spec: { nodeName } }: PodView): string {
  return nodeName === undefined ? "" : ` (node ${nodeName})`;
}

function withEvent(
  first: readonly Evidence[],
  event: Parameters<typeof eventEvidence>[0] | undefined,
): readonly Evidence[] {
  return [...first, ...(event === undefined ? [] : [eventEvidence(event)])];
}

/** Rules for programs that end a running driver, and nodes that reject or lose it. */
export const removalRules: readonly Rule[] = [
  deadline,
  preempted,
  evictedByApi,
  nodeLost,
  evictedByTaint,
  evictedStorage,
  evictedPressure,
  refused,
  deleted,
];
