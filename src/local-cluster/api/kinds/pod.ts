import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { timestamp } from "../timestamp.ts";
import { forbiddenField } from "../validation/field-error.ts";
import { validatePodSpec, validatePodSpecUpdate, warnOfPod } from "../validation/pod/pod-spec.ts";
import { podStatusErrors } from "../validation/pod/pod-status.ts";
import { addTolerations, fillPodSpec } from "./pod-defaults.ts";
import type { PodObject } from "./pod-object.ts";
import { podParts } from "./pod-parts.ts";
import { qosClass } from "./qos-class.ts";
import type { Rules } from "./rules.ts";

/** The rules of pods: what the API decides before the scheduler and the kubelet. */
export const podRules: Rules<PodObject> = {
  hasStatus: true,
  showsDeleted: true,
  generation: "spec",
  grace({ spec, status }) {
    if (spec.nodeName === undefined || isFinalPhase(status.phase)) return undefined;
    return spec.terminationGracePeriodSeconds ?? 30;
  },
  fill({ spec, status }) {
    fillPodSpec(spec, { isTemplate: false });
    // The address is in two fields; clients may send either.
    const [first] = status.podIPs ?? [];
    if (status.podIP !== undefined && first === undefined) status.podIPs = [{ ip: status.podIP }];
    else if (first?.ip !== undefined) status.podIP = first.ip;
    if (status.hostIP !== undefined && !("hostIPs" in status))
      Object.assign(status, { hostIPs: [{ ip: status.hostIP }] });
  },
  prepare(pod, { clock }) {
    // Negative grace periods mean one second.
    if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) pod.spec.terminationGracePeriodSeconds = 1;
    pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
    if ((pod.spec.schedulingGates ?? []).length > 0)
      Object.assign(pod.status, { conditions: [{ ...gated, lastTransitionTime: timestamp(clock.now()) }] });
  },
  prepareUpdate(pod, old) {
    // Keep what admission decided if a client sends an older or shorter object.
    pod.spec.priority ??= old.spec.priority ?? 0;
    pod.spec.preemptionPolicy ??= old.spec.preemptionPolicy ?? "PreemptLowerPriority";
    addTolerations(pod.spec);
  },
  validate: ({ spec }) => [
    ...validatePodSpec(spec, "spec"),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbiddenField("spec.ephemeralContainers", "cannot be set on create")]
      : []),
  ],
  validateUpdate: (pod, old) => [...validatePodSpec(pod.spec, "spec"), ...validatePodSpecUpdate(pod.spec, old.spec)],
  // Warn at creation only.
  warn: ({ spec, metadata }, old) => (old === undefined ? warnOfPod({ name: metadata.name ?? "", spec }) : []),
  validateStatus: ({ status }, old) => podStatusErrors(status, old.status),
  prepareStatus({ status }, old) {
    if (old.status.qosClass !== undefined) status.qosClass ??= old.status.qosClass;
  },
  parts: podParts,
  selectable: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
    "status.phase": ({ status }) => status.phase ?? "",
    "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? status.podIP ?? "",
    "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
  },
  unknownField: (field) => `field label not supported: ${field}`,
};

/** Condition of a pod that is not scheduled yet because of its gates. */
const gated = {
  ...{ type: "PodScheduled", status: "False", reason: "SchedulingGated" },
  ...{ message: "Scheduling is blocked due to non-empty scheduling gates" },
  ...{ lastProbeTime: null },
};
