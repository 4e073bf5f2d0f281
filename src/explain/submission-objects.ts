import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import type { KubeResource, Pod } from "../kube/types.ts";
import { type DriverConf, planDriver } from "../plan/driver-conf.ts";
import { type ExecutorConf, type ExecutorFacts, planExecutor } from "../plan/executor-conf.ts";
import type { Facts } from "../plan/facts.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { assembleDriver, driverChecks } from "../spec/driver-spec.ts";
import { assembleExecutor, buildExecutorManifests } from "../spec/executor-spec.ts";
import type { NamedStep } from "../spec/user-steps/user-step.ts";

/** All that decides the objects of a submission and of its first executor. */
export interface Submission {
  readonly request: SubmitRequest;
  readonly facts: Facts;
  readonly executor: Pick<ExecutorFacts, "template" | "uniqueIds">;
  /** Steps of the user; they do not see the executors. */
  readonly userSteps: readonly NamedStep[];
}

/** Whose an object is, and when it is made. */
export type Part = "preResource" | "driver" | "resource" | "executor" | "executorResource";

/** One object and what it is for. */
export interface SubmissionObject {
  readonly part: Part;
  readonly object: KubeResource;
}

/** Everything that a submission creates, in order, and then what its driver asks for. */
export interface SubmissionObjects {
  readonly driver: DriverConf;
  /** `undefined` where the driver could not make it. */
  readonly executor: ExecutorConf | undefined;
  readonly objects: readonly SubmissionObject[];
  /** Why the driver could not make executors. */
  readonly executorIssues: readonly Issue[];
}

/** What stands for what only the cluster knows. */
const unknownDriverPod = { ip: "<IP of the driver's pod>", uid: "<uid of the driver's pod>" };

/** The step that is left out, to see what it does. */
export interface ExcludedStep {
  readonly role: "driver" | "executor";
  readonly step: string;
}

/**
 * Builds all objects of a submission.
 *
 * Errors: those of the driver's plan; what is wrong with executors is part of the result, for a driver starts all the same.
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

/** What a process in the driver's container finds in its environment, as far as it is written there. */
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
