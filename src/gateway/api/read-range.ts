import { type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import type { LogRange } from "../model/applications.ts";

const maxLines = 10_000;
const parameters: readonly string[] = ["from", "limit", "follow"];

/**
 * Reads the range of a log from a query: `from` with `limit` lines, or without `from` the last `limit` lines (100 by default).
 *
 * Errors: every unknown or invalid parameter.
 */
export function logRangeOf(query: URLSearchParams): Result<LogRange> {
  const from = query.get("from");
  const limit = query.get("limit") ?? "100";
  const unknown = [...new Set(query.keys())].filter((name) => !parameters.includes(name));
  const invalid = (option: string, value: string, allowed: string) =>
    issue("SUBMIT_ERR_ARG_VALUE", { option, value, allowed });
  const issues: readonly Issue[] = [
    ...unknown.map((name) => invalid(name, query.get(name) ?? "", `only the parameters ${parameters.join(", ")}`)),
    ...(from === null || /^\d{1,15}$/.test(from) ? [] : [invalid("from", from, "the number of a line, from 0")]),
    ...(/^\d{1,5}$/.test(limit) && Number(limit) <= maxLines ? [] : [invalid("limit", limit, `at most ${maxLines}`)]),
  ];
  const count = Number(limit);
  return unlessIssues(issues, from === null ? { last: count } : { from: Number(from), count });
}
