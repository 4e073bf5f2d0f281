import type { DeploymentSpec } from "kubernetes-types/apps/v1.d.ts";
import type { Draft } from "../../object.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../../validation/field-error.ts";
import { exceedsAll, percentageFault } from "../../validation/numbers.ts";
import { excessiveCounts, negativeCounts } from "../../validation/status-counts.ts";
import type { Rules } from "../rules.ts";
import { setErrors } from "./replica-set.ts";
import { fillTemplate, fixedSelector, negativeErrors, warnOfSet } from "./template.ts";

type DeploymentObject = Draft & { spec: DeploymentSpec; status: object };

const statusParts = ["updatedReplicas", "readyReplicas", "availableReplicas"];

/** The rules of Deployments. */
export const deploymentRules: Rules<DeploymentObject> = {
  validateStatus: ({ status }) => [
    ...negativeCounts(status, [
      "observedGeneration",
      "replicas",
      ...statusParts,
      "unavailableReplicas",
      "collisionCount",
    ]),
    ...excessiveCounts(status, { parts: statusParts, readyName: "readyReplicas" }),
  ],
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ??= "RollingUpdate";
    if (spec.strategy.type === "RollingUpdate") {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
      spec.strategy.rollingUpdate.maxSurge ??= "25%";
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    fillTemplate(spec);
  },
  prepare(deployment) {
    deployment.status = {};
  },
  validate: ({ spec }) => specErrors(spec),
  validateUpdate: ({ spec }, old) => [...specErrors(spec), ...fixedSelector(spec.selector, old.spec.selector)],
  warn: ({ metadata, spec }) => warnOfSet(metadata.name ?? "", spec),
};

function specErrors(spec: DeploymentSpec): FieldError[] {
  const { progressDeadlineSeconds, minReadySeconds = 0 } = spec;
  return [
    ...setErrors(spec),
    ...strategyErrors(spec),
    ...negativeErrors({
      "spec.revisionHistoryLimit": spec.revisionHistoryLimit,
      "spec.progressDeadlineSeconds": progressDeadlineSeconds,
    }),
    ...(progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds
      ? [invalidValue("spec.progressDeadlineSeconds", progressDeadlineSeconds, "must be greater than minReadySeconds")]
      : []),
  ];
}

function strategyErrors({ strategy = {} }: DeploymentSpec): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const field = "spec.strategy";
  if (type === "Recreate") {
    const text = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbiddenField(`${field}.rollingUpdate`, text)];
  }
  if (type !== "RollingUpdate") {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
    const shownUpdate = { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
    const shown = { Type: type, RollingUpdate: rollingUpdate === undefined ? null : shownUpdate };
    return [notSupported(field, shown, ["Recreate", "RollingUpdate"])];
  }
  const { maxSurge = 0, maxUnavailable = 0 } = rollingUpdate ?? {};
  return [
    ...shareErrors(maxUnavailable, `${field}.rollingUpdate.maxUnavailable`),
    ...shareErrors(maxSurge, `${field}.rollingUpdate.maxSurge`),
    ...(isNothing(maxSurge) && isNothing(maxUnavailable)
      ? [invalidValue(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...(exceedsAll(maxUnavailable)
      ? [invalidValue(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable, "must not be greater than 100%")]
      : []),
  ];
}

function isNothing(value: number | string): boolean {
  return value === 0 || value === "0%";
}

function shareErrors(value: number | string, field: string): FieldError[] {
  const fault = percentageFault(value);
  return fault === undefined ? [] : [invalidValue(field, value, fault)];
}
