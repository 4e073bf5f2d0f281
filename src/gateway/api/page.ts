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

/** Order of the items of a list. */
export interface ListOrder<T> {
  /** Returns the position of an item, which no other item ever has. */
  readonly positionOf: (item: T) => string;
  readonly isBefore: (position: string, other: string) => boolean;
}

/** Parameters of a request that select a page: its maximum length, and the position of the last item of the page before. */
export const pageParameters = ["limit", "after"] as const;

const limits = { default: 100, max: 1000 };

/**
 * Returns the page that the query of a request selects. The query has no `pageIssues`.
 *
 * @param all in that order
 */
export function pageOf<T>(all: readonly T[], { positionOf, isBefore }: ListOrder<T>, query: URLSearchParams): Page<T> {
  const limit = Number(query.get("limit") ?? limits.default);
  const after = query.get("after");
  // The item with this position can be removed meanwhile.
  const rest = after === null ? all : all.filter((item) => isBefore(after, positionOf(item)));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rest.length > limit && last !== undefined;
  return { items, total: all.length, next: hasMore ? positionOf(last) : undefined };
}

/** Checks the parameters of a page. */
export function pageIssues(query: URLSearchParams): readonly Issue[] {
  const limit = query.get("limit");
  const isLimit = limit === null || (/^\d{1,5}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= limits.max);
  return isLimit ? [] : [invalidOption("limit", limit ?? "", `a number from 1 to ${limits.max}`)];
}
