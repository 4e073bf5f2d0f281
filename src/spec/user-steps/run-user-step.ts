import { failure, type Result, success } from "../../errors/issue.ts";
import { messageOf } from "../../errors/submit-error.ts";
import type { Contribution } from "../../features/step.ts";
import type { Pod } from "../../kube/types.ts";
import { appSelectorLabel, roleLabel } from "../../plan/labels.ts";
import { isFields } from "../../values/fields.ts";
import { isContribution, nameOf, objectionTo } from "./check-contribution.ts";
import type { NamedStep, StepConf } from "./user-step.ts";

/** Runs a user step and returns its contribution. Errors: SUBMIT_ERR_FEATURE_STEP_THROWN, SUBMIT_ERR_FEATURE_STEP_RESULT. */
export function contributionOf({ name, step }: NamedStep, conf: StepConf): Result<Contribution> {
  if (step.contribute === undefined) return success({});
  const at = { step: name, method: "contribute" };
  const returned = call(at, () => step.contribute?.(conf));
  if (!returned.ok) return returned;
  if (isContribution(returned.value)) return success(returned.value);
  return failure("SUBMIT_ERR_FEATURE_STEP_RESULT", { ...at, reason: objectionTo(returned.value) ?? "" });
}

/** Runs a user step's transformation of the pod. Errors: SUBMIT_ERR_FEATURE_STEP_THROWN, SUBMIT_ERR_FEATURE_STEP_RESULT. */
export function transformedPod({ name, step }: NamedStep, pod: Pod, conf: StepConf): Result<Pod> {
  if (step.transform === undefined) return success(pod);
  const at = { step: name, method: "transform" };
  const returned = call(at, () => step.transform?.(structuredClone(pod), conf));
  if (!returned.ok) return returned;
  const changed = returned.value;
  if (isPod(changed)) {
    const touched = fixedFields(pod, changed);
    if (touched === undefined) return success(changed);
    return failure("SUBMIT_ERR_FEATURE_STEP_RESULT", { ...at, reason: `it changes ${touched}` });
  }
  const reason = isFields(changed) ? "it is not a pod with containers" : `it is ${nameOf(changed)}, not the pod`;
  return failure("SUBMIT_ERR_FEATURE_STEP_RESULT", { ...at, reason });
}

/** Runs a function of a step and converts its result through JSON, as for sending. Reports an error of either as one of the step. */
function call(at: { step: string; method: string }, run: () => unknown): Result<unknown> {
  try {
    const returned = run();
    return success(returned instanceof Promise || returned === undefined ? returned : plain(returned));
  } catch (error) {
    return failure("SUBMIT_ERR_FEATURE_STEP_THROWN", { ...at, reason: messageOf(error) });
  }
}

function plain(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? value : JSON.parse(text);
}

function isPod(value: unknown): value is Pod {
  if (!isFields(value) || value["kind"] !== "Pod" || !isFields(value["spec"])) return false;
  const { containers } = value["spec"];
  return Array.isArray(containers) && containers.length > 0 && containers.every(isFields);
}

/** Returns the name of a changed field that Firesteel, or Spark in the pod, needs to find the pod. */
function fixedFields(before: Pod, after: Pod): string | undefined {
  const fields = ({ metadata }: Pod): readonly (readonly [string, string | undefined])[] => [
    ["metadata.name", metadata?.name],
    ["metadata.namespace", metadata?.namespace],
    [`the label ${appSelectorLabel}`, metadata?.labels?.[appSelectorLabel]],
    [`the label ${roleLabel}`, metadata?.labels?.[roleLabel]],
  ];
  const kept = new Map(fields(before));
  return fields(after).find(([field, value]) => value !== kept.get(field))?.[0];
}
