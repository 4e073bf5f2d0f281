import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "kubernetes-types/batch/v1.d.ts";
import type { ContainerStatus } from "kubernetes-types/core/v1.d.ts";
import type { StoredPod } from "../../../pods/stored-object.ts";

/** The effect of a job's failure policy on a failed pod. */
export interface FailureDecision {
  /** Action of the first matching rule. */
  readonly action: string | undefined;
  /** Message of the job's failure, for the action FailJob. */
  readonly message?: string;
}

/** Whether a failed pod counts towards the backoff limit. */
export function isCounted({ action }: FailureDecision): boolean {
  return action !== "Ignore";
}

/** Finds the first rule that matches a failed pod. Source: Kubernetes 1.35, pod failure policies of jobs. */
export function decideFailure(policy: PodFailurePolicy | undefined, pod: StoredPod): FailureDecision {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const cause = causeOf(rule, pod);
    if (cause === undefined) continue;
    const { action } = rule;
    return action === "FailJob" ? { action, message: `${cause} matching FailJob rule at index ${index}` } : { action };
  }
  return { action: undefined };
}

/** Describes why a rule matches a pod; `undefined` if it does not. */
function causeOf({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: StoredPod): string | undefined {
  const { namespace, name } = pod.metadata;
  if (onExitCodes !== undefined) {
    const status = findExit(pod, onExitCodes);
    const exitCode = status?.state?.terminated?.exitCode;
    return status && `Container ${status.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
  }
  const condition = (pod.status?.conditions ?? []).find(({ type, status }) =>
    onPodConditions.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function findExit({ status }: StoredPod, rule: PodFailurePolicyOnExitCodesRequirement): ContainerStatus | undefined {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return all.find(({ name, state }) => {
    const { exitCode = 0 } = state?.terminated ?? {};
    const isNamed = rule.containerName === undefined || rule.containerName === name;
    return isNamed && exitCode !== 0 && rule.values.includes(exitCode) === (rule.operator === "In");
  });
}
