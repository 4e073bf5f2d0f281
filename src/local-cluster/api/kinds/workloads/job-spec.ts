import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "kubernetes-types/batch/v1.d.ts";
import { goQuoted } from "../../../../values/go-quoted.ts";
import {
  duplicate,
  type FieldError,
  invalidPart,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../validation/field-error.ts";
import { validateLabels } from "../../validation/metadata.ts";
import { domainPrefixedPathErrors, qualifiedName } from "../../validation/names.ts";
import { validatePodSpec } from "../../validation/pod/pod-spec.ts";
import { checkIndexes } from "./job-indexes.ts";
import { fillTemplate, negativeErrors } from "./template.ts";

const maxRules = 20;
const maxExitCodes = 255;
const maxIndexed = 100_000;
const maxManyIndexed = 10_000;
const maxManagedByBytes = 63;
const maxIndexesBytes = 65_536;
const maxInteger = 2_147_483_647;

/** Sets the defaults of a job's spec. */
export function fillJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInteger;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  fillPodConditions(spec);
  fillTemplate(spec);
}

/** Sets the default status of the pod conditions in a failure policy. */
export function fillPodConditions({ podFailurePolicy }: JobSpec): void {
  for (const { onPodConditions = [] } of podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions) if ((pattern.status ?? "") === "") pattern.status = "True";
}

/**
 * Returns the errors of a job's spec without its selector.
 *
 * Source: Kubernetes 1.35, pkg/apis/batch/validation.
 */
export function jobSpecErrors(spec: JobSpec, path: string): FieldError[] {
  return [
    ...numberErrors(spec, path),
    ...managedByErrors(spec, path),
    ...(spec.completionMode === "Indexed" ? indexedErrors(spec, path) : plainErrors(spec, path)),
    ...failurePolicyErrors(spec, `${path}.podFailurePolicy`),
    ...successPolicyErrors(spec, `${path}.successPolicy`),
    ...replacementErrors(spec, `${path}.podReplacementPolicy`),
    ...validateLabels(spec.template.metadata?.labels, `${path}.template.labels`),
    ...validatePodSpec(spec.template.spec ?? { containers: [] }, `${path}.template.spec`),
    ...restartErrors(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function numberErrors(spec: JobSpec, path: string): FieldError[] {
  const { maxFailedIndexes, backoffLimitPerIndex } = spec;
  return [
    ...negativeErrors({
      [`${path}.parallelism`]: spec.parallelism,
      [`${path}.completions`]: spec.completions,
      [`${path}.activeDeadlineSeconds`]: spec.activeDeadlineSeconds,
      [`${path}.backoffLimit`]: spec.backoffLimit,
      [`${path}.ttlSecondsAfterFinished`]: spec.ttlSecondsAfterFinished,
      [`${path}.backoffLimitPerIndex`]: backoffLimitPerIndex,
      [`${path}.maxFailedIndexes`]: maxFailedIndexes,
    }),
    ...(maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
  ];
}

function managedByErrors({ managedBy }: JobSpec, path: string): FieldError[] {
  if (managedBy === undefined) return [];
  const field = `${path}.managedBy`;
  return [
    ...domainPrefixedPathErrors(managedBy, field),
    ...(managedBy.length > maxManagedByBytes ? [tooLong(field, maxManagedByBytes)] : []),
  ];
}

function plainErrors(
  { completionMode = "NonIndexed", backoffLimitPerIndex, maxFailedIndexes }: JobSpec,
  path: string,
): FieldError[] {
  const modes = ["NonIndexed", "Indexed"];
  if (!modes.includes(completionMode)) return [notSupported(`${path}.completionMode`, completionMode, modes)];
  const text = "requires indexed completion mode";
  return [
    ...(backoffLimitPerIndex === undefined
      ? []
      : [invalidValue(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, text)]),
    ...(maxFailedIndexes === undefined ? [] : [invalidValue(`${path}.maxFailedIndexes`, maxFailedIndexes, text)]),
  ];
}

function indexedErrors(spec: JobSpec, path: string): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const field = `${path}.maxFailedIndexes`;
  const failed = maxFailedIndexes ?? 0;
  const isMany = (completions ?? 0) > maxIndexed && backoffLimitPerIndex !== undefined;
  const whenMany = `must be less than or equal to ${maxManyIndexed} when completions are above ${maxIndexed} and used with backoff limit per index`;
  const limit = `must be less than or equal to ${maxIndexed}`;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, "when completion mode is Indexed")] : []),
    ...(parallelism > maxIndexed
      ? [invalidValue(`${path}.parallelism`, parallelism, `${limit} when completion mode is Indexed`)]
      : []),
    ...(failed > (completions ?? failed)
      ? [invalidValue(field, failed, "must be less than or equal to completions")]
      : []),
    ...(failed > maxIndexed ? [invalidValue(field, failed, limit)] : []),
    ...(isMany && maxFailedIndexes === undefined
      ? [required(field, `must be specified when completions is above ${maxIndexed}`)]
      : []),
    ...(isMany && parallelism > maxManyIndexed ? [invalidValue(`${path}.parallelism`, parallelism, whenMany)] : []),
    ...(isMany && failed > maxManyIndexed ? [invalidValue(field, failed, whenMany)] : []),
  ];
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

function failurePolicyErrors(spec: JobSpec, path: string): FieldError[] {
  if (spec.podFailurePolicy === undefined) return [];
  const rules = spec.podFailurePolicy.rules ?? [];
  return [
    ...(rules.length > maxRules ? [tooMany(`${path}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => failureRuleErrors(rule, { spec, path: `${path}.rules[${index}]` })),
  ];
}

function failureRuleErrors(
  { action = "", onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  { spec, path }: { readonly spec: JobSpec; readonly path: string },
): FieldError[] {
  const both = "specifying both OnExitCodes and OnPodConditions is not supported";
  const neither = "specifying one of OnExitCodes and OnPodConditions is required";
  const hasConditions = onPodConditions.length > 0;
  const needsLimit = action === "FailIndex" && spec.backoffLimitPerIndex === undefined;
  return [
    ...choiceErrors(`${path}.action`, action, actions),
    ...(needsLimit ? [invalidValue(`${path}.action`, action, "requires the backoffLimitPerIndex to be set")] : []),
    ...(onExitCodes === undefined ? [] : exitCodeErrors(onExitCodes, { spec, path: `${path}.onExitCodes` })),
    ...podConditionErrors(onPodConditions, `${path}.onPodConditions`),
    ...(onExitCodes !== undefined && hasConditions ? [invalidPart(path, both)] : []),
    ...(onExitCodes === undefined && !hasConditions ? [invalidPart(path, neither)] : []),
  ];
}

function choiceErrors(field: string, value: string, choices: readonly string[]): FieldError[] {
  if (value === "") return [required(field, `valid values: [${choices.map(goQuoted).join(" ")}]`)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}

function exitCodeErrors(
  { operator = "", containerName, values: stored }: PodFailurePolicyOnExitCodesRequirement,
  { spec, path }: { readonly spec: JobSpec; readonly path: string },
): FieldError[] {
  const values = stored ?? [];
  const { containers = [], initContainers = [] } = spec.template.spec ?? { containers: [] };
  const isKnown = [...containers, ...initContainers].some(({ name }) => name === containerName);
  const unknown = "must be one of the container or initContainer names in the pod template";
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return [
    ...choiceErrors(`${path}.operator`, operator, ["In", "NotIn"]),
    ...(containerName === undefined || isKnown ? [] : [invalidValue(`${path}.containerName`, containerName, unknown)]),
    ...(values.length === 0 ? [invalidValue(`${path}.values`, values, "at least one value is required")] : []),
    ...(values.length > maxExitCodes ? [tooMany(`${path}.values`, values.length, maxExitCodes)] : []),
    ...values.flatMap((value, index) => [
      ...(operator === "In" && value === 0
        ? [invalidValue(`${path}.values[${index}]`, value, "must not be 0 for the In operator")]
        : []),
      ...(values.indexOf(value) < index ? [duplicate(`${path}.values[${index}]`, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalidValue(`${path}.values`, values, "must be ordered")]),
  ];
}

function podConditionErrors(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], path: string): FieldError[] {
  return [
    ...(patterns.length > maxRules ? [tooMany(path, patterns.length, maxRules)] : []),
    ...patterns.flatMap(({ type, status }, index) => [
      ...qualifiedName(type).map((fault) => invalidValue(`${path}[${index}].type`, type, fault)),
      ...choiceErrors(`${path}[${index}].status`, status, ["False", "True", "Unknown"]),
    ]),
  ];
}

function successPolicyErrors(spec: JobSpec, path: string): FieldError[] {
  const { successPolicy, completionMode } = spec;
  if (successPolicy === undefined) return [];
  if (completionMode !== "Indexed")
    return [invalidValue(path, shownPolicy(successPolicy), "requires indexed completion mode")];
  const rules = successPolicy.rules ?? [];
  const text = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [required(`${path}.rules`, text)] : []),
    ...(rules.length > maxRules ? [tooMany(`${path}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => successRuleErrors(rule, spec.completions ?? 0, `${path}.rules[${index}]`)),
  ];
}

/** Returns a policy with Go's field names, as messages show it. */
function shownPolicy({ rules }: NonNullable<JobSpec["successPolicy"]>): object {
  const shown = (rules ?? []).map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: shown };
}

function successRuleErrors(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  completions: number,
  path: string,
): FieldError[] {
  const neither = "at least one of succeededCount or succeededIndexes must be specified";
  const { total, fault } = checkIndexes(succeededIndexes ?? "", completions);
  const field = `${path}.succeededIndexes`;
  const countField = `${path}.succeededCount`;
  const count = succeededCount ?? 0;
  const excess = (limit: number, what: string) =>
    invalidValue(countField, count, `must be less than or equal to ${limit} (the number of ${what})`);
  return [
    ...(succeededIndexes === undefined && succeededCount === undefined ? [required(path, neither)] : []),
    ...((succeededIndexes ?? "").length > maxIndexesBytes ? [tooLong(field, maxIndexesBytes)] : []),
    ...(fault === undefined ? [] : [invalidValue(field, succeededIndexes, `error parsing succeededIndexes: ${fault}`)]),
    ...negativeErrors({ [countField]: succeededCount }),
    ...(count > completions ? [excess(completions, "specified completions")] : []),
    ...(succeededIndexes !== undefined && count > total
      ? [excess(total, "indexes in the specified succeededIndexes field")]
      : []),
  ];
}

function replacementErrors({ podReplacementPolicy, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const policies = podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  if (podReplacementPolicy === undefined || policies.includes(podReplacementPolicy)) return [];
  return [notSupported(field, podReplacementPolicy, policies)];
}

function restartErrors({ template, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const { restartPolicy = "" } = template.spec ?? { containers: [] };
  const policies = ["OnFailure", "Never"];
  if (restartPolicy === "" || restartPolicy === "Always")
    return [required(field, 'valid values: "OnFailure", "Never"')];
  if (!policies.includes(restartPolicy)) return [notSupported(field, restartPolicy, policies)];
  if (podFailurePolicy === undefined || restartPolicy === "Never") return [];
  return [invalidValue(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}
