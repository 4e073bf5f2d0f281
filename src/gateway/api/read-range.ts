import { type Issue, type Result, unlessIssues } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";
import type { LogRange } from "../model/applications.ts";
import { unknownParameters } from "./unknown-parameters.ts";

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
  const issues: readonly Issue[] = [
    ...unknownParameters(query, parameters),
    ...(from === null || /^\d{1,15}$/.test(from) ? [] : [invalidOption("from", from, "the number of a line, from 0")]),
    ...(/^\d{1,5}$/.test(limit) && Number(limit) <= maxLines
      ? []
      : [invalidOption("limit", limit, `at most ${maxLines}`)]),
  ];
  const count = Number(limit);
  return unlessIssues(issues, from === null ? { last: count } : { from: Number(from), count });
}
