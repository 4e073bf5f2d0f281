import { type Result, success } from "../errors/issue.ts";
import type { DriverConf, DriverInput } from "../plan/driver-conf.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { buildConfMap } from "../spec/conf-map.ts";
import { assembleDriver, confMapStep, driverParts } from "../spec/driver-spec.ts";
import { executorParts } from "../spec/executor-spec.ts";
import { contributionOf, transformedPod } from "../spec/user-steps/run-user-step.ts";
import { toStepConf } from "../spec/user-steps/user-step.ts";
import type { Cause } from "./cause.ts";
import { type Field, fieldsOf } from "./fields.ts";
import { isSame } from "./leaves.ts";
import { observedConf, observedInput } from "./observed-inputs.ts";
import { observedPlan, type PlanReads, recordedParts } from "./observed-plan.ts";
import { addContribution, addReads, addSteps, addTemplate, type ProvenanceRecord, propertyId } from "./provenance.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { buildSubmission, type Submission, type SubmissionObjects, toResource } from "./submission-objects.ts";

/** A field, the steps that set it, and the inputs on which it depends. */
export interface ExplainedField extends Field {
  /** Empty: the field comes from the pod template, or Kubernetes requires it. */
  readonly steps: readonly string[];
  /** Settings that are set first, then defaults. Empty: the value is constant. */
  readonly causes: readonly Cause[];
}

/** All fields of a submission, and the reasons why its driver cannot create executors. */
interface Explanation extends Pick<SubmissionObjects, "executorIssues"> {
  readonly fields: readonly ExplainedField[];
}

/**
 * Explains all fields of a submission by what the plan and the feature steps read when they computed them.
 *
 * Errors: those of the driver's plan.
 */
export function explainSubmission(submission: Submission): Result<Explanation> {
  const recorder = createRecorder();
  const observed = observedInput(submission, recorder);
  const driverReads: PlanReads = directReads(observed, recorder);
  const executorReads: PlanReads = new Map([["appId", driverReads.get("appId") ?? []]]);
  const built = buildSubmission(submission, {
    driver: recordedParts(driverReads, observed, recorder),
    executor: (conf) => recordedParts(executorReads, observedConf(conf, recorder), recorder),
  });
  if (!built.ok) return built;
  const { driver, executor, executorIssues } = built.value;
  const record: ProvenanceRecord = { built: built.value, fields: fieldsOf(built.value), found: new Map() };
  const view = observedPlan(driver, { reads: driverReads, facts: observed.facts, recorder });
  addSteps(record, { parts: driverParts(driver), plan: driver, observed: view, recorder });
  addUserSteps(record, submission, driver);
  addConfMap(record, view, recorder);
  addNames(record, driverReads);
  addTemplate(record, driver);
  if (executor !== undefined) {
    addExecutor(record, executor, { reads: executorReads, facts: observed.facts, recorder });
  }
  return success({ executorIssues, fields: [...record.fields].map(([id, field]) => explained(record, id, field)) });
}

/** Reads of the properties that a plan copies from its input. */
function directReads({ request, facts }: DriverInput, recorder: Recorder): PlanReads {
  const reads = (read: () => unknown) => recorder.record(read).reads;
  return new Map([
    ["appId", reads(() => facts.appId)],
    ["appResource", reads(() => request.appResource)],
    ["mainClass", reads(() => request.mainClass)],
    ["appArgs", reads(() => request.appArgs)],
    ["proxyUser", reads(() => request.proxyUser)],
  ]);
}

function addExecutor(
  record: ProvenanceRecord,
  executor: ExecutorConf,
  observation: {
    readonly reads: PlanReads;
    readonly facts: ExecutorConf["facts"];
    readonly recorder: Recorder;
  },
): void {
  // The environment is the driver container's, which has its own provenance.
  const facts = { ...observation.facts, env: executor.facts.env };
  const observed = observedPlan(executor, { ...observation, facts });
  addSteps(record, { parts: executorParts(executor), plan: executor, observed, recorder: observation.recorder });
  addReads(record, "executor metadata.name", observation.reads.get("resourceNamePrefix") ?? []);
  addTemplate(record, executor);
}

/** Adds what the user's steps contribute, then what their transformations change. */
function addUserSteps(record: ProvenanceRecord, { userSteps }: Submission, driver: DriverConf): void {
  if (userSteps.length === 0) return;
  const conf = toStepConf(driver);
  for (const step of userSteps) {
    const contribution = contributionOf(step, conf);
    if (contribution.ok)
      addContribution(record, {
        step: step.name,
        role: "driver",
        contribution: contribution.value,
        reads: [],
      });
  }
  const contributed = assembleDriver(
    driver,
    userSteps.map(({ step: { transform: _, ...step }, ...named }) => ({ ...named, step })),
  );
  if (!contributed.ok) return;
  let { pod } = contributed.value.manifests;
  const fieldsOfPod = () => fieldsOf({ ...record.built, objects: [{ part: "driver", object: toResource(pod) }] });
  for (const step of userSteps) {
    const before = fieldsOfPod();
    const changed = transformedPod(step, pod, conf);
    if (!changed.ok) return;
    pod = changed.value;
    for (const [id, { value }] of fieldsOfPod()) {
      if (isSame(before.get(id)?.value, value)) continue;
      const known = record.found.get(id) ?? { steps: new Set(), causes: new Map() };
      known.steps.add(step.name);
      record.found.set(id, known);
    }
  }
}

/** Adds the ConfigMap. A property of it depends on its setting, unless a step sets it. */
function addConfMap(record: ProvenanceRecord, driver: DriverConf, recorder: Recorder): void {
  const { value, reads } = recorder.record(() => buildConfMap(driver, {}).contribution);
  addContribution(record, { step: confMapStep, role: "driver", contribution: value, reads });
  for (const setting of driver.conf.settings()) {
    const id = propertyId(setting.key);
    const isFromStep = [...(record.found.get(id)?.steps ?? [])].some((step) => step !== confMapStep);
    if (!record.fields.has(id) || isFromStep) continue;
    record.found.set(id, {
      steps: new Set([confMapStep]),
      causes: new Map([[setting.key, { kind: "setting", ...setting }]]),
    });
  }
}

function addNames(record: ProvenanceRecord, reads: PlanReads): void {
  addReads(record, "driver metadata.name", reads.get("podName") ?? []);
  addReads(record, "driver metadata.namespace", reads.get("namespace") ?? []);
}

function explained({ found }: ProvenanceRecord, id: string, field: Field): ExplainedField {
  const { steps, causes } = found.get(id) ?? { steps: new Set<string>(), causes: new Map<string, Cause>() };
  // The ConfigMap's step only transports the properties of other steps.
  const own = steps.size > 1 ? [...steps].filter((step) => step !== confMapStep) : [...steps];
  const all = [...causes.values()];
  return {
    ...field,
    steps: own,
    causes: all.toSorted((a, b) => rank(a) - rank(b)),
  };
}

function rank({ kind }: Cause): number {
  if (kind === "setting") return 0;
  return kind === "default" ? 2 : 1;
}
