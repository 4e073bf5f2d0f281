import type { NamespaceSpec, NodeSpec } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudgetSpec } from "kubernetes-types/policy/v1.d.ts";
import type { Draft } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue } from "../validation/field-error.ts";
import { dnsLabel } from "../validation/names.ts";
import type { Rules } from "./rules.ts";

type NamespaceObject = Draft & { spec: NamespaceSpec; status: { phase?: string } };
type NodeObject = Draft & { spec: NodeSpec; status: object };
type BudgetObject = Draft & { spec: PodDisruptionBudgetSpec; status: object };
type LeaseObject = Draft & { spec: { leaseDurationSeconds?: number; leaseTransitions?: number } };
type PriorityObject = Draft & { preemptionPolicy?: string; value: number; globalDefault?: boolean };

/** The label by which a namespace can be selected by name. */
const nameLabel = "kubernetes.io/metadata.name";

/** The rules of Namespaces: they end only when all in them has gone. */
export const namespaceRules: Rules<NamespaceObject> = {
  name: dnsLabel,
  hasStatus: true,
  showsDeleted: true,
  fill({ metadata }) {
    if (metadata.name !== undefined) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  },
  prepare(namespace) {
    const finalizers = namespace.spec.finalizers ?? [];
    namespace.spec.finalizers = finalizers.includes("kubernetes")
      ? finalizers
      : [...finalizers, "kubernetes"];
    namespace.status = { phase: "Active" };
  },
  prepareUpdate(namespace, old) {
    namespace.spec.finalizers = old.spec.finalizers ?? [];
  },
  selectable: { "status.phase": ({ status }) => status.phase ?? "" },
};

/** The rules of Nodes. */
export const nodeRules: Rules<NodeObject> = {
  hasStatus: true,
  validate: () => [],
  selectable: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
};

/** The rules of ServiceAccounts. */
export const serviceAccountRules: Rules = { showsDeleted: true };

/** The rules of PodDisruptionBudgets. */
export const budgetRules: Rules<BudgetObject> = {
  hasStatus: true,
  generation: "spec",
  prepare(budget) {
    budget.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  },
  validate({ spec }) {
    if (spec.minAvailable === undefined || spec.maxUnavailable === undefined) return [];
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: null,
    };
    return [invalidValue("spec", shown, "minAvailable and maxUnavailable cannot be both set")];
  },
};

/** The rules of Leases. */
export const leaseRules: Rules<LeaseObject> = {
  createsOnUpdate: true,
  needsRevision: true,
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

/** The rules of PriorityClasses. */
export const priorityClassRules: Rules<PriorityObject> = {
  generation: "fixed",
  fill(object) {
    object.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validateUpdate: (next, old) =>
    next.value === old.value ? [] : [forbiddenField("value", "may not be changed in an update.")],
};
