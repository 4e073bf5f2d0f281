import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import type { KubeResource, Pod } from "../kube/types.ts";
import { type DriverConf, type DriverInput, planDriver } from "../plan/driver-conf.ts";
import { type ExecutorConf, type ExecutorFacts, planExecutor } from "../plan/executor-conf.ts";
import type { Facts } from "../plan/facts.ts";
import type { PlanPart } from "../plan/plan-part.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { assembleDriver, type DriverManifests, driverChecks } from "../spec/driver-spec.ts";
import { buildExecutorManifests, type ExecutorManifests } from "../spec/executor-spec.ts";
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

/** A planned driver and its objects. */
export interface BuiltDriver {
  readonly driver: DriverConf;
  readonly built: Pick<DriverManifests, "manifests" | "properties">;
}

/** All objects that a submission creates, in order, then those of its first executor. */
export interface SubmissionObjects extends BuiltDriver {
  /** `undefined` if the driver cannot create executors. */
  readonly executor: ExecutorConf | undefined;
  readonly objects: readonly SubmissionObject[];
  /** The pods among the objects. */
  readonly pods: { readonly driver: Pod; readonly executor: Pod | undefined };
  /** Reasons why the driver cannot create executors. */
  readonly executorIssues: readonly Issue[];
}

/** Placeholders for values that only the cluster knows. */
const unknownDriverPod = { ip: "<IP of the driver's pod>", uid: "<uid of the driver's pod>" };

/** Ways to record what the parts of the plans read. */
interface PlanParts {
  readonly driver: PlanPart<DriverInput>;
  readonly executor: (conf: SparkConf) => PlanPart<SparkConf>;
}

/**
 * Builds all objects of a submission.
 *
 * Errors: those of the driver's plan. Errors of executors are part of the result: the driver starts in spite of them.
 */
export function buildSubmission(submission: Submission, parts?: PlanParts): Result<SubmissionObjects> {
  const { request, facts, executor, userSteps } = submission;
  const planned = planDriver(request, facts, driverChecks, parts?.driver);
  if (!planned.ok) return planned;
  const driver = planned.value;
  const built = assembleDriver(driver, userSteps);
  return built.ok ? success(addExecutor({ driver, built: built.value }, executor, parts?.executor)) : built;
}

/** Adds the objects of the first executor to those of a driver. Errors of executors are part of the result. */
export function addExecutor(
  { driver, built }: BuiltDriver,
  sources: Submission["executor"],
  part?: PlanParts["executor"],
): SubmissionObjects {
  const { manifests, properties } = built;
  const facts = { ...sources, executorId: "1", driverPod: unknownDriverPod };
  const executor = planExecutor(driver, { properties, driverEnv: environmentOf(manifests.pod), ...facts }, part);
  const executors = executor.ok ? buildExecutorManifests(executor.value) : executor;
  return {
    driver,
    built,
    executor: executor.ok && executors.ok ? executor.value : undefined,
    executorIssues: issuesOf(executors),
    pods: { driver: manifests.pod, executor: executors.ok ? executors.value.pod : undefined },
    objects: [...driverObjects(built), ...(executors.ok ? executorObjects(executors.value) : [])],
  };
}

/** Returns the objects of a driver, in order. */
export function driverObjects({ manifests }: BuiltDriver["built"]): readonly SubmissionObject[] {
  return [
    ...manifests.preResources.map((object) => ({ part: "preResource" as const, object })),
    { part: "driver", object: toResource(manifests.pod) },
    ...manifests.resources.map((object) => ({ part: "resource" as const, object })),
  ];
}

/** Returns the environment variables of the driver's container that have a literal value. */
function environmentOf(pod: Pod): Readonly<Record<string, string | undefined>> {
  const env = pod.spec?.containers.at(-1)?.env ?? [];
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

function executorObjects({ pod, resources }: ExecutorManifests): readonly SubmissionObject[] {
  return [
    { part: "executor", object: toResource(pod) },
    ...resources.map((object) => ({ part: "executorResource" as const, object })),
  ];
}

/** Completes a pod so that it is an object like the others. */
export function toResource(pod: Pod): KubeResource {
  return { ...pod, apiVersion: "v1", kind: pod.kind ?? "Pod", metadata: pod.metadata ?? {} };
}
