import { type Result, success } from "../errors/issue.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { confMapStep, driverParts } from "../spec/driver-spec.ts";
import { executorParts } from "../spec/executor-spec.ts";
import { type Cause, nameOfCause } from "./cause.ts";
import { type Field, fieldsOf } from "./fields.ts";
import type { LeafValue } from "./leaves.ts";
import { buildSubmission, type Submission, type SubmissionObjects } from "./submission-objects.ts";
import { type Variation, variationsOf } from "./variations.ts";

/** Why a field is as it is. */
export interface Reason {
  readonly cause: Cause;
  /** What the field would be without it; `undefined`: it would not be there. */
  readonly without: LeafValue | undefined;
  /** `needed`: nothing could be submitted without it; `same`: the field would be the same, for the default says so, too. */
  readonly force: "changes" | "needed" | "same";
}

/** A field, and all that decided it. */
export interface ExplainedField extends Field {
  /** Feature steps that set it; none: it is of the pod template, or of Kubernetes' own form. */
  readonly steps: readonly string[];
  /** Empty: it is a default, or always so. */
  readonly reasons: readonly Reason[];
}

/**
 * What decided each field, found by experiment: the submission is built again without one thing, and what then differs was
 * decided by it. So an explanation is always true; it cannot tell of settings that are not given.
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
      steps: withoutCarrier(steps.get(id) ?? []),
      reasons: reasons.get(id) ?? [],
    })),
  );
}

/** The configuration map only carries what other steps hand to the driver. */
function withoutCarrier(steps: readonly string[]): readonly string[] {
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
    const experiment = tryOut(variation, fields);
    for (const id of differing(fields, experiment.fields)) {
      const reasons = found.get(id) ?? [];
      // Of several older lines, the newest that differs tells enough.
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

function tryOut({ cause, without, otherwise }: Variation, fields: Fields): Experiment {
  const removed = buildSubmission(without);
  const isSaidByProperty = (id: string) => cause.kind === "setting" && id.endsWith(`[${nameOfCause(cause)}]`);
  if (removed.ok) {
    const left = fieldsOf(removed.value);
    if (otherwise.length === 0 || differing(fields, left).some((id) => !isSaidByProperty(id)))
      return { fields: left, force: "changes" };
    const other = firstThatDiffers(otherwise, fields, isSaidByProperty);
    return other === undefined ? { fields: left, force: "changes" } : { fields: other, force: "same" };
  }
  const other = firstThatDiffers(otherwise, fields, isSaidByProperty);
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

/** The fields that another submission has not, or has otherwise. */
function differing(fields: Fields, others: Fields): readonly string[] {
  return [...fields].flatMap(([id, { value }]) => (isSame(value, others.get(id)?.value) ? [] : [id]));
}

/** Equality of leaves: empty ones are equal by their form. */
export function isSame(a: LeafValue | undefined, b: LeafValue | undefined): boolean {
  return Object.is(a, b) || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}
