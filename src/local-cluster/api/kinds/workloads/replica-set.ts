import type { ReplicaSetSpec } from "kubernetes-types/apps/v1.d.ts";
import type { Draft } from "../../object.ts";
import type { FieldError } from "../../validation/field-error.ts";
import { excessiveCounts, negativeCounts } from "../../validation/status-counts.ts";
import type { Rules } from "../rules.ts";
import {
  fillTemplate,
  fixedSelector,
  negativeErrors,
  restartErrors,
  type SetSpec,
  selectorErrors,
  templateErrors,
  warnOfSet,
} from "./template.ts";

type ReplicaSetObject = Draft & { spec: ReplicaSetSpec; status: object };

const statusParts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

/** The rules of ReplicaSets. */
export const replicaSetRules: Rules<ReplicaSetObject> = {
  validateStatus: ({ status }) => [
    ...negativeCounts(status, ["replicas", ...statusParts, "observedGeneration"]),
    ...excessiveCounts(status, { parts: statusParts, readyName: "readyReplicas" }),
  ],
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.replicas ??= 1;
    fillTemplate(spec);
  },
  prepare(set) {
    set.status = { replicas: 0 };
  },
  validate: ({ spec }) => setErrors(spec),
  validateUpdate: ({ spec }, old) => [...setErrors(spec), ...fixedSelector(spec.selector, old.spec.selector)],
  warn: ({ metadata, spec }) => warnOfSet(metadata.name ?? "", spec),
};

/** Returns the errors of a set of identical pods that run indefinitely. */
export function setErrors(
  spec: SetSpec & { readonly replicas?: number; readonly minReadySeconds?: number },
): FieldError[] {
  const { replicas, minReadySeconds } = spec;
  return [
    ...negativeErrors({ "spec.replicas": replicas, "spec.minReadySeconds": minReadySeconds }),
    ...selectorErrors(spec, {
      empty: "empty selector is invalid for deployment",
      unreadable: "invalid label selector",
    }),
    ...templateErrors(spec),
    ...restartErrors(spec, "ReplicaSet"),
  ];
}
