import type { NodeSpec, NodeStatus } from "kubernetes-types/core/v1.d.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported } from "../validation/field-error.ts";
import { qualifiedName } from "../validation/names.ts";
import { cidrFault } from "../validation/numbers.ts";
import { negativeAmounts } from "../validation/status-counts.ts";
import type { Rules } from "./rules.ts";

type NodeObject = Draft & { spec: NodeSpec; status: NodeStatus };

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
  validateStatus: ({ status }) => [
    ...negativeAmounts(status.capacity, (resource) => `status.capacity.${resource}`),
    ...negativeAmounts(status.allocatable, (resource) => `status.allocatable.${resource}`),
    ...(status.addresses ?? []).flatMap((address, index, all) =>
      all.findIndex((other) => isSame(other, address)) === index
        ? []
        : [duplicate(`status.addresses[${index}]`, { Type: address.type, Address: address.address })],
    ),
  ],
  selectable: { "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false) },
  unknownField: (field) => `field label not supported: ${field}`,
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
