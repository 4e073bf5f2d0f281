import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import type { KubeResource, Pod } from "../kube/types.ts";
import { type DriverConf, planDriver } from "../plan/driver-conf.ts";
import { type ExecutorConf, type ExecutorFacts, planExecutor } from "../plan/executor-conf.ts";
import type { Facts } from "../plan/facts.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { assembleDriver, driverChecks } from "../spec/driver-spec.ts";
import { assembleExecutor, buildExecutorManifests } from "../spec/executor-spec.ts";
import type { NamedStep } from "../spec/user-steps/user-step.ts";

/** Input for the objects of a submission and of its first executor. */
export interface Submission {
  readonly request: SubmitRequest;
  readonly facts: Facts;
  readonly executor: Pick<ExecutorFacts, "template" | "uniqueIds">;
  /** Feature steps of the user, which apply to the driver only. */
  readonly userSteps: readonly NamedStep[];
}

/** Role of an object, and its place in the order of creation. */
export type Part = "preResource" | "driver" | "resource" | "executor" | "executorResource";

/** An object and its role. */
export interface SubmissionObject {
  readonly part: Part;
  readonly object: KubeResource;
}

/** All objects that a submission creates, in order, then those of its first executor. */
export interface SubmissionObjects {
  readonly driver: DriverConf;
  /** `undefined` if the driver cannot create executors. */
  readonly executor: ExecutorConf | undefined;
  readonly objects: readonly SubmissionObject[];
  /** Reasons why the driver cannot create executors. */
  readonly executorIssues: readonly Issue[];
}

/** Placeholders for values that only the cluster knows. */
const unknownDriverPod = { ip: "<IP of the driver's pod>", uid: "<uid of the driver's pod>" };

/** A feature step to omit, to find out what it does. */
export interface ExcludedStep {
  readonly role: "driver" | "executor";
  readonly step: string;
}

/**
 * Builds all objects of a submission.
 *
 * Errors: those of the driver's plan. Errors of executors are part of the result: the driver starts in spite of them.
 */
export function buildSubmission(
  submission: Submission,
  excludedStep?: ExcludedStep,
): Result<SubmissionObjects> {
  const planned = planDriver(submission.request, submission.facts, driverChecks);
  if (!planned.ok) return planned;
  const driver = planned.value;
  const { userSteps } = submission;
  const complete = assembleDriver(driver, { userSteps });
  const built =
    excludedStep?.role === "driver"
      ? assembleDriver(driver, { userSteps, excludedStep: excludedStep.step })
      : complete;
  if (!complete.ok) return complete;
  if (!built.ok) return built;
  const { manifests } = built.value;
  const executor = planExecutor(driver, {
    properties: complete.value.properties,
    driverEnv: environmentOf(complete.value.manifests.pod),
    ...submission.executor,
    executorId: "1",
    driverPod: unknownDriverPod,
  });
  const executors = executor.ok ? buildExecutor(executor.value, excludedStep) : executor;
  return success({
    driver,
    executor: executor.ok && executors.ok ? executor.value : undefined,
    executorIssues: issuesOf(executors),
    objects: [
      ...manifests.preResources.map((object) => ({ part: "preResource" as const, object })),
      { part: "driver", object: toResource(manifests.pod) },
      ...manifests.resources.map((object) => ({ part: "resource" as const, object })),
      ...(executors.ok ? executors.value : []),
    ],
  });
}

/** Returns the environment variables of the driver's container that have a literal value. */
function environmentOf(pod: Pod): Readonly<Record<string, string | undefined>> {
  const env = pod.spec?.containers.at(-1)?.env ?? [];
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

function buildExecutor(
  executor: ExecutorConf,
  excludedStep?: ExcludedStep,
): Result<readonly SubmissionObject[]> {
  const complete = buildExecutorManifests(executor);
  if (!complete.ok) return complete;
  const built = excludedStep?.role === "executor" ? assembleExecutor(executor, excludedStep.step) : complete;
  if (!built.ok) return built;
  const { pod, resources } = built.value;
  return success([
    { part: "executor", object: toResource(pod) },
    ...resources.map((object) => ({ part: "executorResource" as const, object })),
  ]);
}

function toResource(pod: Pod): KubeResource {
  return { ...pod, apiVersion: "v1", kind: pod.kind ?? "Pod", metadata: pod.metadata ?? {} };
}
