import type { Issue } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";
import { type QueueScheduler, schedulerKinds } from "./queue-rules.ts";

/** A key of the scheduler of a queue. */
export const schedulerKey = /^gateway\.queue\.([A-Za-z0-9_.-]+)\.(scheduler|schedulerQueue)$/;

/** All three schedulers take the name from a label, or in Volcano's case from a stricter field. */
const labelValue = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

/**
 * Parses the schedulers of queues: `gateway.queue.NAME.scheduler`, and `….schedulerQueue` for another name than `NAME`.
 *
 * Errors: SUBMIT_ERR_ARG_VALUE.
 */
export function parseSchedulers(properties: ReadonlyMap<string, string>): {
  readonly byQueue: ReadonlyMap<string, QueueScheduler>;
  readonly issues: readonly Issue[];
} {
  const byQueue = new Map<string, QueueScheduler>();
  const issues: Issue[] = [];
  const invalid = (...problem: Parameters<typeof invalidOption>) => issues.push(invalidOption(...problem));
  const names = [...properties.keys()].flatMap((key) => schedulerKey.exec(key)?.[1] ?? []);
  for (const name of new Set(names)) {
    const [kindKey, queueKey] = [`gateway.queue.${name}.scheduler`, `gateway.queue.${name}.schedulerQueue`];
    const value = properties.get(kindKey);
    const queue = properties.get(queueKey) ?? name;
    const kind = schedulerKinds.find((known) => known === value);
    if (value === undefined) invalid(queueKey, queue, `only with ${kindKey}`);
    else if (kind === undefined) invalid(kindKey, value, schedulerKinds.join(", "));
    else if (!labelValue.test(queue)) invalid(queueKey, queue, "a name as in labels of Kubernetes");
    else byQueue.set(name, { kind, queue });
  }
  return { byQueue, issues };
}
