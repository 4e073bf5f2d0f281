import type { CauseName } from "../../diagnosis/causes.ts";
import { keys } from "../../diagnosis/settings.ts";
import { templateKey } from "../role-keys.ts";
import type { Role } from "../submission.ts";

const causes: Readonly<Record<string, CauseName>> = {
  cpu: "insufficient-cpu",
  memory: "insufficient-memory",
  "ephemeral-storage": "insufficient-ephemeral-storage",
};

/** Returns the cause of a pod that gets too little of a resource. */
export function shortageCause(resource: string): CauseName {
  return causes[resource] ?? "insufficient-extended-resource";
}

/** Returns the setting for the amount of a resource. */
export function shortageKey(role: Role, resource: string): string {
  const isDriver = role === "driver";
  if (resource === "cpu") return isDriver ? keys.driverRequestCores : keys.executorRequestCores;
  if (resource === "memory") return isDriver ? keys.driverMemory : keys.executorMemory;
  return templateKey(role);
}
