import { type Result, success } from "../errors/issue.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { confMapStep, driverParts } from "../spec/driver-spec.ts";
import { executorParts } from "../spec/executor-spec.ts";
import { type Cause, nameOfCause } from "./cause.ts";
import { type Field, fieldsOf } from "./fields.ts";
import type { LeafValue } from "./leaves.ts";
import { buildSubmission, type Submission, type SubmissionObjects } from "./submission-objects.ts";
import { type Variation, variationsOf } from "./variations.ts";

/** A cause of the value of a field. */
export interface Reason {
  readonly cause: Cause;
  /** Value of the field without the cause; `undefined` if the field would be absent. */
  readonly without: LeafValue | undefined;
  /** `needed`: no submission is possible without the cause; `same`: the default gives the same value. */
  readonly force: "changes" | "needed" | "same";
}

/** A field with the causes of its value. */
export interface ExplainedField extends Field {
  /** Feature steps that set the field; empty if it comes from the pod template or from the form of the object. */
  readonly steps: readonly string[];
  /** Causes of the value; empty for a default or a constant. */
  readonly reasons: readonly Reason[];
}

/**
 * Finds the causes of each field by experiment: builds the submission again without one input, and compares. A field that differs
 * depends on that input. Settings that are not specified are not found.
 */
export function explainSubmission(submission: Submission): Result<readonly ExplainedField[]> {
  const built = buildSubmission(submission);
  if (!built.ok) return built;
  const fields = fieldsOf(built.value);
  const steps = stepsByField(submission, built.value, fields);
  const reasons = reasonsByField(submission, fields);
  return success(
    [...fields].map(([id, field]) => ({
      ...field,
      steps: withoutConfMapStep(steps.get(id) ?? []),
      reasons: reasons.get(id) ?? [],
    })),
  );
}

/** Removes the step of the configuration map, which only transports the properties of other steps. */
function withoutConfMapStep(steps: readonly string[]): readonly string[] {
  return steps.length > 1 ? steps.filter((step) => step !== confMapStep) : steps;
}

type Fields = ReadonlyMap<string, Field>;

function stepsByField(
  submission: Submission,
  { driver, executor }: SubmissionObjects,
  fields: Fields,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const candidates = [
    ...driverStepNames(submission, driver).map((step) => ({
      role: "driver" as const,
      step,
    })),
    ...(executor === undefined ? [] : executorParts(executor)).map(({ step }) => ({
      role: "executor" as const,
      step,
    })),
  ];
  for (const excludedStep of candidates) {
    const built = buildSubmission(submission, excludedStep);
    if (!built.ok) continue;
    for (const id of differing(fields, fieldsOf(built.value))) {
      found.set(id, [...(found.get(id) ?? []), excludedStep.step]);
    }
  }
  return found;
}

function driverStepNames({ userSteps }: Submission, driver: DriverConf): readonly string[] {
  const steps = driverParts(driver).map(({ step }) => step);
  return [...steps, ...userSteps.map(({ name }) => name), confMapStep];
}

function reasonsByField(submission: Submission, fields: Fields): ReadonlyMap<string, readonly Reason[]> {
  const found = new Map<string, Reason[]>();
  for (const variation of variationsOf(submission)) {
    const experiment = runExperiment(variation, fields);
    for (const id of differing(fields, experiment.fields)) {
      const reasons = found.get(id) ?? [];
      // Only the newest older line that differs: it shows since when the field has its value.
      if (variation.cause.kind === "release" && reasons.some(({ cause }) => cause.kind === "release"))
        continue;
      const without = experiment.force === "same" ? fields.get(id)?.value : experiment.fields.get(id)?.value;
      found.set(id, [...reasons, { cause: variation.cause, without, force: experiment.force }]);
    }
  }
  return found;
}

interface Experiment {
  readonly fields: Fields;
  readonly force: Reason["force"];
}

function runExperiment({ cause, without, otherwise }: Variation, fields: Fields): Experiment {
  const removed = buildSubmission(without);
  const isOwnProperty = (id: string) => cause.kind === "setting" && id.endsWith(`[${nameOfCause(cause)}]`);
  if (removed.ok) {
    const remaining = fieldsOf(removed.value);
    if (otherwise.length === 0 || differing(fields, remaining).some((id) => !isOwnProperty(id)))
      return { fields: remaining, force: "changes" };
    const other = firstThatDiffers(otherwise, fields, isOwnProperty);
    return other === undefined ? { fields: remaining, force: "changes" } : { fields: other, force: "same" };
  }
  const other = firstThatDiffers(otherwise, fields, isOwnProperty);
  return { fields: other ?? fields, force: "needed" };
}

function firstThatDiffers(
  candidates: readonly Submission[],
  fields: Fields,
  isIgnored: (id: string) => boolean,
): Fields | undefined {
  for (const candidate of candidates) {
    const built = buildSubmission(candidate);
    if (!built.ok || built.value.executorIssues.length > 0) continue;
    const other = fieldsOf(built.value);
    if (differing(fields, other).some((id) => !isIgnored(id))) return other;
  }
  return undefined;
}

/** Returns the IDs of the fields that are different or absent in another submission. */
function differing(fields: Fields, others: Fields): readonly string[] {
  return [...fields].flatMap(([id, { value }]) => (isSame(value, others.get(id)?.value) ? [] : [id]));
}

/** Compares leaves by value; empty lists and objects by their JSON. */
export function isSame(a: LeafValue | undefined, b: LeafValue | undefined): boolean {
  return Object.is(a, b) || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}
