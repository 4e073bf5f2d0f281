import { type Issue, issue, type Result } from "../../errors/issue.ts";

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
  const issues: Issue[] = [];
  const invalid = (option: string, value: string, allowed: string) =>
    issues.push(issue("SUBMIT_ERR_ARG_VALUE", { option, value, allowed }));
  for (const [name, value] of query)
    if (name !== "queue" && name !== "priority") invalid(name, value, "only the parameters queue, priority");
  const [queue, priority] = [query.get("queue"), query.get("priority")];
  if (queue !== null && !/^[A-Za-z0-9_.-]+$/.test(queue)) invalid("queue", queue, "letters, digits, '_', '.' and '-'");
  if (priority !== null && !/^-?\d{1,9}$/.test(priority)) invalid("priority", priority, "an integer");
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    value: { ...(queue !== null && { queue }), ...(priority !== null && { priority: Number(priority) }) },
  };
}
