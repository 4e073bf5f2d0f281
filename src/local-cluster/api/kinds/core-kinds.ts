import type { NamespaceSpec, NodeSpec } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudgetSpec } from "kubernetes-types/policy/v1.d.ts";
import type { Draft } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../validation/field-error.ts";
import { labelSelectorErrors } from "../validation/label-selectors.ts";
import { dnsLabel, pathSegment, qualifiedName } from "../validation/names.ts";
import { cidrFault, exceedsAll, percentageFault } from "../validation/numbers.ts";
import type { Rules } from "./rules.ts";

type NamespaceObject = Draft & { spec: NamespaceSpec; status: { phase?: string } };
type NodeObject = Draft & {
  spec: NodeSpec;
  status: { capacity?: Record<string, string>; allocatable?: Record<string, string> };
};
type BudgetObject = Draft & { spec: PodDisruptionBudgetSpec; status: object };
type LeaseObject = Draft & {
  spec: {
    leaseDurationSeconds?: number;
    leaseTransitions?: number;
    strategy?: string;
    preferredHolder?: string;
  };
};
type PriorityObject = Draft & { preemptionPolicy?: string; value: number; globalDefault?: boolean };

/** Label that contains a namespace's name, for selectors. */
const nameLabel = "kubernetes.io/metadata.name";

const unknownFinalizer = "name is neither a standard finalizer name nor is it fully qualified";

/** The rules of Namespaces. */
export const namespaceRules: Rules<NamespaceObject> = {
  name: dnsLabel,
  hasStatus: true,
  showsDeleted: true,
  fill({ metadata }) {
    if (metadata.name !== undefined) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  },
  prepare(namespace) {
    const finalizers = namespace.spec.finalizers ?? [];
    namespace.spec.finalizers = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
    namespace.status = { phase: "Active" };
  },
  validate: ({ spec }) =>
    (spec.finalizers ?? [])
      .filter((finalizer) => finalizer !== "kubernetes" && !finalizer.includes("/"))
      .map((finalizer) => invalidValue("spec.finalizers", finalizer, unknownFinalizer)),
  validateStatus({ status, metadata }) {
    const isTerminating = metadata.deletionTimestamp !== undefined;
    const phase = isTerminating ? "Terminating" : "Active";
    const when = isTerminating ? "not empty" : "empty";
    const text = `may only be '${phase}' if \`deletionTimestamp\` is ${when}`;
    return status.phase === phase ? [] : [invalidValue("status.Phase", status.phase ?? "", text)];
  },
  unknownField: (field) => `field label not supported: ${field}`,
  prepareUpdate(namespace, old) {
    namespace.spec.finalizers = old.spec.finalizers ?? [];
  },
  selectable: { "status.phase": ({ status }) => status.phase ?? "" },
};

/** The rules of Nodes. */
export const nodeRules: Rules<NodeObject> = {
  hasStatus: true,
  // Prevent scheduling until the node is ready.
  prepare({ spec }) {
    const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
    const hasTaint = spec.taints?.some(({ key, effect }) => key === taint.key && effect === taint.effect);
    if (hasTaint !== true) spec.taints = [...(spec.taints ?? []), taint];
  },
  fill({ spec, status }) {
    // The range is in two fields; clients may send either.
    const [first] = spec.podCIDRs ?? [];
    if (spec.podCIDR !== undefined && spec.podCIDR !== "") spec.podCIDRs ??= [spec.podCIDR];
    else if (first !== undefined) spec.podCIDR = first;
    if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
  },
  validate: ({ spec }) => nodeErrors(spec),
  validateUpdate: ({ spec }, old) => [
    ...nodeErrors(spec),
    ...((old.spec.podCIDR ?? "") === "" || spec.podCIDR === old.spec.podCIDR
      ? []
      : [forbiddenField("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')]),
  ],
  selectable: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
};

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function nodeErrors({ taints = [], podCIDR = "" }: NodeSpec): FieldError[] {
  const fault = podCIDR === "" ? undefined : cidrFault(podCIDR);
  return [
    ...taints.flatMap(({ key, effect }, index) => [
      ...qualifiedName(key).map((text) => invalidValue(`metadata.taints[${index}].key`, key, text)),
      ...(taintEffects.includes(effect)
        ? []
        : [notSupported(`metadata.taints[${index}].effect`, effect, taintEffects)]),
    ]),
    ...(fault === undefined ? [] : [invalidValue("spec.podCIDRs[0]", podCIDR, fault)]),
  ];
}

/** The rules of ServiceAccounts. */
export const serviceAccountRules: Rules = { showsDeleted: true };

/** The rules of PodDisruptionBudgets. */
export const budgetRules: Rules<BudgetObject> = {
  name: pathSegment,
  hasStatus: true,
  generation: "spec",
  prepare(budget) {
    budget.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  },
  validate: ({ spec }) => budgetErrors(spec),
};

function budgetErrors(spec: BudgetObject["spec"]): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const shown = {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: policy ?? null,
  };
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalidValue("spec", shown, "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...shareErrors("spec.minAvailable", minAvailable),
    ...shareErrors("spec.maxUnavailable", maxUnavailable),
    ...labelSelectorErrors(selector, "spec.selector"),
    ...(policy === undefined || policies.includes(policy)
      ? []
      : [notSupported("spec.unhealthyPodEvictionPolicy", policy, policies)]),
  ];
}

function shareErrors(field: string, value: string | number | undefined): FieldError[] {
  if (value === undefined) return [];
  const fault = exceedsAll(value) ? "must not be greater than 100%" : percentageFault(value);
  return fault === undefined ? [] : [invalidValue(field, value, fault)];
}

/** The rules of Leases. */
export const leaseRules: Rules<LeaseObject> = {
  createsOnUpdate: true,
  needsRevision: true,
  // Only clusters with coordinated leader election keep these fields.
  fill({ spec }) {
    delete spec.strategy;
    delete spec.preferredHolder;
  },
  validate: ({ spec }) => [
    ...positive("spec.leaseDurationSeconds", spec.leaseDurationSeconds),
    ...((spec.leaseTransitions ?? 0) < 0
      ? [invalidValue("spec.leaseTransitions", spec.leaseTransitions, "must be greater than or equal to 0")]
      : []),
  ],
};

function positive(field: string, value: number | undefined): FieldError[] {
  return value === undefined || value > 0 ? [] : [invalidValue(field, value, "must be greater than 0")];
}

/** Maximum priority; higher ones are reserved for system pods. */
const maxPriority = 1_000_000_000;

/** The rules of PriorityClasses. */
export const priorityClassRules: Rules<PriorityObject> = {
  generation: "fixed",
  fill(object) {
    object.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validate({ metadata, value, preemptionPolicy = "" }) {
    const name = metadata.name ?? "";
    const reserved =
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system ` +
      "priority class";
    const tooHigh = `maximum allowed value of a user defined priority is ${maxPriority}`;
    const policies = ["PreemptLowerPriority", "Never"];
    return [
      ...(name.startsWith("system-") ? [forbiddenField("metadata.name", reserved)] : []),
      ...(value > maxPriority ? [forbiddenField("value", tooHigh)] : []),
      ...(policies.includes(preemptionPolicy) ? [] : [notSupported("preemptionPolicy", preemptionPolicy, policies)]),
    ];
  },
  validateUpdate: (next, old) =>
    next.value === old.value ? [] : [forbiddenField("value", "may not be changed in an update.")],
};
