import type { Issue } from "../../errors/issue.ts";
import { parseQuantity, quantityNumber } from "../../values/quantity.ts";
import { invalidOption } from "../invalid-option.ts";
import { parseSchedulers, schedulerKey } from "./parse-schedulers.ts";
import { defaultQueue, type Limits, type QueueRule, type QueueRules } from "./queue-rules.ts";

/** Prefix of the settings of queues. */
const prefix = "gateway.";
const nodesKey = `${prefix}admission.nodes`;
const mebibyte = 1024 * 1024;

/** Limits by the last part of a key. */
const limitNames = ["maxRunning", "maxCores", "maxMemory"] as const;

/** Rules, and everything that is wrong with their settings. */
interface ParsedRules {
  readonly rules: QueueRules;
  readonly issues: readonly Issue[];
}

/**
 * Parses the settings of queues: `gateway.queue.NAME.weight`, and the limits `maxRunning`, `maxCores` and `maxMemory` of
 * `gateway.queue.NAME`, `gateway.user`, `gateway.namespace` and `gateway.total`.
 *
 * `gateway.queue.NAME.scheduler` and `….schedulerQueue` leave admission to a scheduler of the cluster. With
 * `gateway.admission.nodes=true`, the nodes limit admission, too.
 *
 * Errors: SUBMIT_ERR_ARG_VALUE.
 */
export function parseQueueRules(properties: ReadonlyMap<string, string>): ParsedRules {
  const issues: Issue[] = [];
  const queues = new Map<string, QueueRule>([[defaultQueue, { weight: 1 }]]);
  const limits: Record<"user" | "namespace" | "total", Limits> = { user: {}, namespace: {}, total: {} };
  for (const [key, value] of properties) {
    if (!key.startsWith(prefix)) continue;
    const invalid = (allowed: string) => issues.push(invalidOption(key, value, allowed));
    if (key === nodesKey) {
      if (value !== "true" && value !== "false") invalid("true, false");
      continue;
    }
    if (schedulerKey.test(key)) continue;
    const queue = /^queue\.([A-Za-z0-9_.-]+)\.(\w+)$/.exec(key.slice(prefix.length));
    const shared = /^(user|namespace|total)\.(\w+)$/.exec(key.slice(prefix.length));
    const name = queue?.[2] ?? shared?.[2];
    if (queue?.[1] !== undefined && name === "weight") {
      const weight = Number(value);
      if (weight > 0) queues.set(queue[1], { ...queues.get(queue[1]), weight });
      else invalid("a number above 0");
      continue;
    }
    const limit = limitOf(name, value);
    if (limit === undefined) invalid(allowedFor(name));
    else if (queue?.[1] !== undefined) queues.set(queue[1], { weight: 1, ...queues.get(queue[1]), ...limit });
    else if (isShared(shared?.[1])) limits[shared[1]] = { ...limits[shared[1]], ...limit };
  }
  const schedulers = parseSchedulers(properties);
  issues.push(...schedulers.issues);
  for (const [queue, scheduler] of schedulers.byQueue)
    queues.set(queue, { weight: 1, ...queues.get(queue), scheduler });
  const { user: perUser, namespace: perNamespace, total } = limits;
  return { rules: { queues, perUser, perNamespace, total, usesNodes: properties.get(nodesKey) === "true" }, issues };
}

function isShared(name: string | undefined): name is "user" | "namespace" | "total" {
  return name === "user" || name === "namespace" || name === "total";
}

function limitOf(name: string | undefined, value: string): Limits | undefined {
  const quantity = parseQuantity(value);
  const units = quantity === undefined ? Number.NaN : quantityNumber(quantity);
  if (!(units >= 0)) return undefined;
  if (name === "maxRunning") return Number.isInteger(units) ? { maxRunning: units } : undefined;
  if (name === "maxCores") return { maxCores: units };
  return name === "maxMemory" ? { maxMemoryMiB: units / mebibyte } : undefined;
}

function allowedFor(name: string | undefined): string {
  if (name === "maxRunning") return "a number of applications";
  if (name === "maxCores") return "a number of cores";
  if (name === "maxMemory") return "a Kubernetes quantity, such as 64Gi";
  return `only keys that end with weight, scheduler, schedulerQueue, ${limitNames.join(", ")}`;
}
