import type { NamespaceSpec } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudgetSpec } from "kubernetes-types/policy/v1.d.ts";
import type { Draft } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../validation/field-error.ts";
import { labelSelectorErrors } from "../validation/label-selectors.ts";
import { standardFinalizerErrors } from "../validation/metadata.ts";
import { dnsLabel, pathSegment, qualifiedName } from "../validation/names.ts";
import { exceedsAll, percentageFault } from "../validation/numbers.ts";
import { negativeCounts } from "../validation/status-counts.ts";
import type { Rules } from "./rules.ts";

type NamespaceObject = Draft & { spec: NamespaceSpec; status: { phase?: string } };
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
  parts: {
    finalize: {
      writes: "spec",
      write: ({ spec }, old) => ({ ...old, spec }),
      validate: ({ spec }) => namespaceFinalizerErrors(spec.finalizers ?? []),
    },
  },
  unknownField: (field) => `field label not supported: ${field}`,
  prepareUpdate(namespace, old) {
    namespace.spec.finalizers = old.spec.finalizers ?? [];
  },
  selectable: { "status.phase": ({ status }) => status.phase ?? "" },
};

function namespaceFinalizerErrors(finalizers: readonly string[]): FieldError[] {
  const field = "spec.finalizers";
  return finalizers.flatMap((finalizer, index) => [
    ...qualifiedName(finalizer).map((fault) => invalidValue(`${field}[${index}]`, finalizer, fault)),
    ...standardFinalizerErrors([finalizer], () => `${field}[${index}]`),
  ]);
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
  validateStatus: ({ status }) =>
    negativeCounts(status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]),
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
