import type { DaemonSetSpec, DaemonSetStatus, RollingUpdateDaemonSet } from "kubernetes-types/apps/v1.d.ts";
import { isSame } from "../../json.ts";
import type { Draft } from "../../object.ts";
import { selectorOf } from "../../selectors/object-selector.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../validation/field-error.ts";
import { labelSelectorErrors } from "../../validation/label-selectors.ts";
import { validateLabels } from "../../validation/metadata.ts";
import { exceedsAll, percentageFault } from "../../validation/numbers.ts";
import { validatePodSpec } from "../../validation/pod/pod-spec.ts";
import { negativeCounts } from "../../validation/status-counts.ts";
import type { Rules } from "../rules.ts";
import { fillTemplate, fixedSelector, negativeErrors, warnOfTemplate } from "./template.ts";

type DaemonSetObject = Draft & { spec: DaemonSetSpec; status: DaemonSetStatus };

/** Annotation that counts the changes of the template. */
const templateGeneration = "deprecated.daemonset.template.generation";

const statusCounts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

/** The rules of DaemonSets. Source: Kubernetes 1.35, pkg/apis/apps/validation. */
export const daemonSetRules: Rules<DaemonSetObject> = {
  validateStatus: ({ status }, old) => [
    ...negativeCounts(status, statusCounts),
    ...((status.collisionCount ?? 0) < (old.status.collisionCount ?? 0)
      ? [invalidValue("status.collisionCount", status.collisionCount ?? 0, "cannot be decremented")]
      : []),
  ],
  hasStatus: true,
  generation: "spec",
  fill({ spec }) {
    spec.updateStrategy ??= {};
    const strategy = spec.updateStrategy;
    if ((strategy.type ?? "") === "") strategy.type = "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= 1;
      strategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    fillTemplate(spec);
  },
  prepare(set) {
    set.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    countTemplate(set, 1);
  },
  prepareUpdate(set, old) {
    const last = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
    countTemplate(set, isSame(set.spec.template, old.spec.template) ? last : last + 1);
  },
  validate: ({ spec }) => specErrors(spec),
  validateUpdate: ({ spec }, old) => [...fixedSelector(spec.selector, old.spec.selector), ...specErrors(spec)],
  warn: ({ spec }) => warnOfTemplate(spec),
};

function countTemplate({ metadata }: DaemonSetObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

function specErrors(spec: DaemonSetSpec): FieldError[] {
  const { selector, template } = spec;
  const labels = template?.metadata?.labels;
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  const isMatched = selector !== undefined && selector !== null && selectorOf(selector)(labels);
  const { restartPolicy = "Always", activeDeadlineSeconds } = template?.spec ?? { containers: [] };
  const path = "spec.template.spec";
  const mismatch = "`selector` does not match template `labels`";
  const noDeadline = "activeDeadlineSeconds in DaemonSet is not Supported";
  return [
    ...labelSelectorErrors(selector ?? undefined, "spec.selector"),
    ...(isMatched ? [] : [invalidValue("spec.template.metadata.labels", labels ?? null, mismatch)]),
    ...(selector && isEmpty
      ? [invalidValue("spec.selector", selector, "empty selector is invalid for daemonset")]
      : []),
    ...validateLabels(labels, "spec.template.labels"),
    ...validatePodSpec(template?.spec ?? { containers: [] }, path),
    ...(restartPolicy === "Always" ? [] : [notSupported(`${path}.restartPolicy`, restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined ? [] : [forbiddenField(`${path}.activeDeadlineSeconds`, noDeadline)]),
    ...negativeErrors({ "spec.minReadySeconds": spec.minReadySeconds }),
    ...strategyErrors(spec),
    ...negativeErrors({ "spec.revisionHistoryLimit": spec.revisionHistoryLimit }),
  ];
}

function strategyErrors({ updateStrategy = {} }: DaemonSetSpec): FieldError[] {
  const { type = "", rollingUpdate } = updateStrategy;
  const field = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type === "RollingUpdate")
    return rollingUpdate === undefined
      ? [required(`${field}.rollingUpdate`)]
      : rollingUpdateErrors(rollingUpdate, `${field}.rollingUpdate`);
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const shownUpdate = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  return [notSupported(field, { Type: type, RollingUpdate: shownUpdate }, ["RollingUpdate", "OnDelete"])];
}

function rollingUpdateErrors(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
  field: string,
): FieldError[] {
  const limits = { maxUnavailable, maxSurge };
  const [hasUnavailable, hasSurge] = [!isNothing(maxUnavailable), !isNothing(maxSurge)];
  const both = "may not be set when maxUnavailable is non-zero";
  return [
    ...Object.entries(limits).flatMap(([name, value]) => {
      const fault = percentageFault(value);
      return fault === undefined ? [] : [invalidValue(`${field}.${name}`, value, fault)];
    }),
    ...Object.entries(limits)
      .filter(([, value]) => exceedsAll(value))
      .map(([name, value]) => invalidValue(`${field}.${name}`, value, "must not be greater than 100%")),
    ...(hasUnavailable && hasSurge ? [invalidValue(`${field}.maxSurge`, maxSurge, both)] : []),
    ...(hasUnavailable || hasSurge ? [] : [required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]),
  ];
}

function isNothing(value: number | string): boolean {
  return Number.parseInt(String(value), 10) === 0;
}
