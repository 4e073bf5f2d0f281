import type { GatewayResponse } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import { batchJson, batchState, batchStates, knownLogTail } from "./batch-json.ts";
import type { LivyCall, LivyRequest } from "./livy-call.ts";
import { mayView } from "./permissions.ts";
import { queryInteger } from "./query-integer.ts";
import { json, message } from "./responses.ts";

const defaultSize = 100;

/** Responds with a page of the batches, in the order of creation. */
export function listBatches(
  { applications, settings, links }: Pick<LivyCall, "applications" | "settings" | "links">,
  { query, user }: Pick<LivyRequest, "query" | "user">,
): GatewayResponse {
  const [from, size] = [queryInteger(query, "from"), queryInteger(query, "size")];
  if (!from.ok) return message(400, from.message);
  if (!size.ok) return message(400, size.message);
  const filters = parseFilters(query);
  if (!filters.ok) return message(400, filters.message);
  const start = from.value ?? 0;
  const end = start < 0 ? 0 : start + Math.max(0, size.value ?? defaultSize);
  const shown: GatewayApplication[] = [];
  let total = 0;
  for (const application of applications.list()) {
    const { record } = application;
    if (record.protocol !== "livy" || !filters.fits(application)) continue;
    if (settings.listsOwnBatchesOnly && !mayView(user, record, settings)) continue;
    if (total >= start && total < end) shown.push(application);
    total += 1;
  }
  const sessions = shown.map((application) => {
    const log = mayView(user, application.record, settings) ? knownLogTail(application) : [];
    return batchJson(application, { log, links: links(application) });
  });
  return json(200, { from: start, total, sessions });
}

type Filters =
  | { readonly ok: true; readonly fits: (application: GatewayApplication) => boolean }
  | { readonly ok: false; readonly message: string };

/** Parses the filters. Their names have a prefix, because Livy ignores `state`, `name` and `owner` here. */
function parseFilters(query: URLSearchParams): Filters {
  const [states, names, owners] = ["filter.state", "filter.name", "filter.owner"].map((name) => query.getAll(name));
  const unknown = states?.filter((state) => !batchStates.includes(state)) ?? [];
  if (unknown.length > 0)
    return { ok: false, message: `filter.state is ${unknown.join(", ")}; allowed: ${batchStates.join(", ")}.` };
  const isAny = (values: readonly string[] | undefined, value: string | undefined) =>
    values === undefined || values.length === 0 || (value !== undefined && values.includes(value));
  return {
    ok: true,
    fits: (application) =>
      isAny(states, batchState(application)) &&
      isAny(names, application.record.name) &&
      isAny(owners, application.record.owner),
  };
}
