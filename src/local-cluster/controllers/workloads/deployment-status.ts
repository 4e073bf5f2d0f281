import type { DeploymentCondition } from "kubernetes-types/apps/v1.d.ts";
import type { ApiScope } from "../../api/call.ts";
import { timestamp } from "../../api/timestamp.ts";
import { writeStatus } from "../create-object.ts";
import { allowance, type DeploymentObject } from "./deployment.ts";
import { counts, type ReplicaSetObject } from "./replica-sets.ts";

/** A condition without its times. */
type ConditionState = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** Updates a deployment's status. @returns ms after which it must be updated again */
export function updateDeploymentStatus(
  api: ApiScope,
  deployment: DeploymentObject,
  { current, old }: { readonly current: ReplicaSetObject | undefined; readonly old: readonly ReplicaSetObject[] },
): number | undefined {
  const { spec, status = {}, metadata } = deployment;
  const sets = current === undefined ? old : [...old, current];
  const sum = (count: (status: NonNullable<ReplicaSetObject["status"]>) => number | undefined) =>
    sets.reduce((all, set) => all + (set.status === undefined ? 0 : (count(set.status) ?? 0)), 0);
  const replicas = sum((one) => one.replicas);
  const available = sum((one) => one.availableReplicas);
  const desired = sets.reduce((all, set) => all + (set.spec.replicas ?? 0), 0);
  const updated = current?.status?.replicas ?? 0;
  const isComplete = updated === spec.replicas && replicas === spec.replicas && available === spec.replicas;
  const progress =
    spec.paused === true ? paused : isComplete ? complete(current) : progressing(api, deployment, { current, updated });
  const conditions = [availability(deployment, available), progress];
  const others = (status.conditions ?? []).filter(({ type }) => conditions.every((own) => own.type !== type));
  writeStatus(api, "deployments.apps", deployment, {
    observedGeneration: metadata.generation,
    ...counts({
      replicas,
      updatedReplicas: updated,
      readyReplicas: sum((one) => one.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, desired - available),
    }),
    terminatingReplicas: sum((one) => one.terminatingReplicas),
    conditions: [...others, ...conditions.map((condition) => dated(api, condition, status.conditions ?? []))],
    ...(status.collisionCount !== undefined && { collisionCount: status.collisionCount }),
  });
  return isComplete || progress.status !== "True" ? undefined : (spec.progressDeadlineSeconds ?? 600) * 1000;
}

function availability(deployment: DeploymentObject, available: number): ConditionState {
  const { spec } = deployment;
  const isEnough = available >= (spec.replicas ?? 1) - allowance(deployment).unavailable;
  return {
    type: "Available",
    status: isEnough ? "True" : "False",
    reason: isEnough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${isEnough ? "has" : "does not have"} minimum availability.`,
  };
}

const paused: ConditionState = {
  ...{ type: "Progressing", status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" },
};

function complete(current: ReplicaSetObject | undefined): ConditionState {
  const message = `ReplicaSet "${current?.metadata.name ?? ""}" has successfully progressed.`;
  return { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message };
}

function progressing(
  { clock }: ApiScope,
  { spec, status, metadata }: DeploymentObject,
  { current, updated }: { readonly current: ReplicaSetObject | undefined; readonly updated: number },
): ConditionState {
  const name = current?.metadata.name ?? metadata.name;
  const last = status?.conditions?.find(({ type }) => type === "Progressing");
  const isMoving = status?.updatedReplicas !== updated || last?.reason === "NewReplicaSetAvailable";
  const since = Date.parse(last?.lastUpdateTime ?? "") || clock.now();
  const isLate = !isMoving && clock.now() - since >= (spec.progressDeadlineSeconds ?? 600) * 1000;
  if (isLate || (last?.status === "False" && !isMoving)) {
    const message = `ReplicaSet "${name}" has timed out progressing.`;
    return { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message };
  }
  const message = `ReplicaSet "${name}" is progressing.`;
  return { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message };
}

function dated(
  { clock }: ApiScope,
  condition: ConditionState,
  before: readonly DeploymentCondition[],
): DeploymentCondition {
  const { type, status, reason, message } = condition;
  const now = timestamp(clock.now());
  const last = before.find((condition) => condition.type === type);
  const isSame = last?.status === status && last.reason === reason && last.message === message;
  const since = last?.status === status ? (last.lastTransitionTime ?? now) : now;
  return {
    ...{ type, status },
    lastUpdateTime: isSame ? (last.lastUpdateTime ?? now) : now,
    lastTransitionTime: since,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}
