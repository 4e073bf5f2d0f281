import { type Result, unlessIssues } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";
import { unknownParameters } from "./unknown-parameters.ts";

/** Place of an application in the queues. */
interface QueueOptions {
  /** @default the default queue */
  readonly queue?: string;
  readonly priority?: number;
}

/**
 * Reads the parameters `queue` and `priority` of a request, which are not part of the application's format.
 *
 * Errors: every unknown or invalid parameter.
 */
export function readQueueOptions(query: URLSearchParams): Result<QueueOptions> {
  const [queue, priority] = [query.get("queue"), query.get("priority")];
  const isQueue = queue === null || /^[A-Za-z0-9_.-]+$/.test(queue);
  const isPriority = priority === null || /^-?\d{1,9}$/.test(priority);
  const issues = [
    ...unknownParameters(query, ["queue", "priority"]),
    ...(isQueue ? [] : [invalidOption("queue", queue, "letters, digits, '_', '.' and '-'")]),
    ...(isPriority ? [] : [invalidOption("priority", priority, "an integer")]),
  ];
  return unlessIssues(issues, {
    ...(queue !== null && { queue }),
    ...(priority !== null && { priority: Number(priority) }),
  });
}
