import type { GatewayResponse } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { LogRange } from "../model/applications.ts";
import { batchJson, batchState, knownLogTail, shownLogLines } from "./batch-json.ts";
import type { LivyCall, LivyRequest } from "./livy-call.ts";
import { mayModify, mayView } from "./permissions.ts";
import { queryInteger } from "./query-integer.ts";
import { empty, json, message, notFound } from "./responses.ts";

/** Part of a batch; `undefined` for the batch itself. */
export type BatchAction = "state" | "log" | undefined;

interface BatchCall {
  readonly request: LivyRequest;
  readonly idOrName: string;
  readonly action: BatchAction;
}

type Served = Pick<LivyCall, "applications" | "settings" | "links">;

/** Serves a batch, its state or its log, or deletes it. */
export async function serveBatch(call: Served, { request, idOrName, action }: BatchCall): Promise<GatewayResponse> {
  const { applications, settings } = call;
  const isId = /^\d+$/.test(idOrName);
  const batch = isId ? applications.find("livy", String(Number(idOrName))) : applications.findByName("livy", idOrName);
  if (batch === undefined) return notFound(idOrName);
  const { record } = batch;
  if (request.method === "DELETE") {
    if (!mayModify(request.user, record, settings)) return empty(403);
    await applications.remove(record.key, request.user);
    return json(200, { msg: "deleted" });
  }
  if (action === "state") return json(200, { id: Number(record.id), state: batchState(batch) });
  const isViewer = mayView(request.user, record, settings);
  if (action === "log") return isViewer ? serveLog(call, request, batch) : empty(403);
  const log = isViewer ? await logTail(call, batch) : [];
  return json(200, batchJson(batch, { log, links: call.links(batch) }));
}

/** Reads the last lines. An API that does not respond must not hide the state of a batch. */
async function logTail({ applications }: Served, batch: GatewayApplication): Promise<readonly string[]> {
  try {
    return await applications.readReportTail(batch.record.key, shownLogLines);
  } catch {
    return knownLogTail(batch);
  }
}

async function serveLog(
  { applications }: Served,
  { query }: LivyRequest,
  { record }: GatewayApplication,
): Promise<GatewayResponse> {
  const [from, size] = [queryInteger(query, "from"), queryInteger(query, "size")];
  if (!from.ok) return message(400, from.message);
  if (!size.ok) return message(400, size.message);
  const range = logRange(from.value, size.value);
  const { lines, from: start, total } = await applications.readReport(record.key, range);
  return json(200, { id: Number(record.id), from: start, total, log: lines });
}

const defaultSize = 100;
/** Most lines of a response: a log can be larger than the memory. */
const maxLines = 100_000;

/** Returns the lines that a request asks for. Without `from`, the last ones; with a negative `size`, all. */
export function logRange(from = -1, size = defaultSize): LogRange {
  const count = size < 0 ? maxLines : Math.min(size, maxLines);
  return from < 0 ? { last: count } : { from, count };
}
