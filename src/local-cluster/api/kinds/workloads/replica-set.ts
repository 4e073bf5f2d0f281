import type { ReplicaSetSpec } from "kubernetes-types/apps/v1.d.ts";
import type { Draft } from "../../object.ts";
import type { FieldError } from "../../validation/field-error.ts";
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

/** The rules of ReplicaSets. */
export const replicaSetRules: Rules<ReplicaSetObject> = {
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
