import type { Issue } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";

/** Part of a list. */
interface Page<T> {
  readonly items: readonly T[];
  /** Length of the whole list. */
  readonly total: number;
  /** Value of `after` for the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

/** Parameters of a request that select a page: its maximum length, and the key of the last item of the page before. */
export const pageParameters = ["limit", "after"] as const;

const limits = { default: 100, max: 1000 };

/** Returns the page that the query of a request selects. The query has no `pageIssues`. */
export function pageOf<T>(all: readonly T[], keyOf: (item: T) => string, query: URLSearchParams): Page<T> {
  const limit = Number(query.get("limit") ?? limits.default);
  const after = query.get("after");
  const start = after === null ? 0 : all.findIndex((item) => keyOf(item) === after) + 1;
  const items = all.slice(start, start + limit);
  const last = items.at(-1);
  const hasMore = start + limit < all.length && last !== undefined;
  return { items, total: all.length, next: hasMore ? keyOf(last) : undefined };
}

/** Checks the parameters of a page. */
export function pageIssues(query: URLSearchParams): readonly Issue[] {
  const limit = query.get("limit");
  const isLimit = limit === null || (/^\d{1,5}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= limits.max);
  return isLimit ? [] : [invalidOption("limit", limit ?? "", `a number from 1 to ${limits.max}`)];
}
