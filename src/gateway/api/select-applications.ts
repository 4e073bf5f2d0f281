import type { Issue, Result } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";
import { type GatewayApplication, gatewayStates, protocols } from "../model/application.ts";
import { type ListOrder, pageIssues, pageOf, pageParameters } from "./page.ts";
import { unknownParameters } from "./unknown-parameters.ts";

/** A page of applications. */
export interface ApplicationPage {
  readonly applications: readonly GatewayApplication[];
  /** Number of all that match. */
  readonly total: number;
  /** Value of `after` for the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

const filters = ["state", "owner", "namespace", "name", "protocol", "queue"] as const;
const parameters: readonly string[] = [...filters, ...pageParameters, "order"];

/**
 * Selects and pages applications by the query of a request: filters, each with several values separated by commas; `limit`;
 * `after`, the number of the last application of the page before; `order`: `newest` (default) or `oldest`.
 *
 * Errors: every unknown or invalid parameter.
 */
export function selectApplications(all: Iterable<GatewayApplication>, query: URLSearchParams): Result<ApplicationPage> {
  const issues = queryIssues(query);
  if (issues.length > 0) return { ok: false, issues };
  const selected = filters.flatMap((filter) => {
    const value = query.get(filter);
    return value === null ? [] : [{ filter, values: new Set(value.split(",")) }];
  });
  const matching = [...all].filter((application) =>
    selected.every(({ filter, values }) => values.has(fieldOf(application, filter) ?? "")),
  );
  const direction = query.get("order") === "oldest" ? 1 : -1;
  matching.sort((a, b) => direction * (a.record.number - b.record.number));
  const order: ListOrder<GatewayApplication> = {
    positionOf: ({ record }) => String(record.number),
    isBefore: (a, b) => direction * (Number(a) - Number(b)) < 0,
  };
  const { items: applications, ...page } = pageOf(matching, order, query);
  return { ok: true, value: { applications, ...page } };
}

function fieldOf({ record, state }: GatewayApplication, filter: (typeof filters)[number]): string | undefined {
  return filter === "state" ? state : record[filter];
}

function queryIssues(query: URLSearchParams): readonly Issue[] {
  const oneOf = (option: string, allowed: readonly string[]) =>
    (query.get(option)?.split(",") ?? [])
      .filter((value) => !allowed.includes(value))
      .map((value) => invalidOption(option, value, allowed.join(", ")));
  const after = query.get("after") ?? "0";
  return [
    ...unknownParameters(query, parameters),
    ...pageIssues(query),
    ...(/^\d{1,15}$/.test(after) ? [] : [invalidOption("after", after, "the value of next of the page before")]),
    ...oneOf("state", gatewayStates),
    ...oneOf("protocol", protocols),
    ...oneOf("order", ["newest", "oldest"]),
  ];
}
