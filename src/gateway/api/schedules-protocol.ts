import { issuesOf } from "../../errors/issue.ts";
import type { Route } from "../../http/route.ts";
import { restrictSchedules } from "../access/restrict-schedules.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { isBelow } from "../http/is-below.ts";
import type { CreateScheduleResult, GatewaySchedule, ScheduleName, Schedules } from "../model/schedules.ts";
import { type ListOrder, pageIssues, pageOf, pageParameters } from "./page.ts";
import { json, problem } from "./problem.ts";
import { formatOf } from "./read-document.ts";
import { readQueueOptions } from "./read-queue-options.ts";
import { readSchedule } from "./read-schedule.ts";
import { routeRequest } from "./route-request.ts";
import { scheduleDetails, scheduleJson } from "./schedule-json.ts";
import { unknownParameters } from "./unknown-parameters.ts";

interface ScheduleApi {
  readonly schedules: Schedules;
  /** Namespace of schedules that name none. */
  readonly namespace: string;
  /** Path of headers `Location`. @default none */
  readonly root?: string;
}

interface ScheduleCall {
  readonly request: GatewayRequest;
  /** Empty for routes without a name. */
  readonly name: ScheduleName;
}

type Action = (api: ScheduleApi, call: ScheduleCall) => Promise<GatewayResponse>;

/** Path of all schedules. */
const collection = "/api/v1/schedules";
const one = `${collection}/{namespace}/{name}`;

const routes: readonly Route<Action>[] = [
  {
    method: "GET",
    path: collection,
    run: list,
  },
  { method: "POST", path: collection, run: create },
  { method: "GET", path: one, run: show },
  { method: "DELETE", path: one, run: remove },
  { method: "POST", path: `${one}/suspend`, run: (api, call) => setSuspended(api, call, true) },
  { method: "POST", path: `${one}/resume`, run: (api, call) => setSuspended(api, call, false) },
];

/** Serves the schedules of Firesteel's own API. */
export function schedulesProtocol(api: ScheduleApi): HttpProtocol {
  return {
    name: "api",
    owns: (path) => isBelow(path, collection),
    respond: routeRequest(routes, (run, request, { namespace = "", name = "" }) => {
      const schedules = restrictSchedules(api.schedules, request.permissions);
      return run({ ...api, schedules }, { request, name: { namespace, name } });
    }),
    reject: problem,
  };
}

const byName: ListOrder<GatewaySchedule> = {
  positionOf: ({ record: { namespace, name } }) => `${namespace}/${name}`,
  isBefore: (a, b) => a < b,
};

async function list({ schedules }: ScheduleApi, { request: { query } }: ScheduleCall): Promise<GatewayResponse> {
  const issues = [...unknownParameters(query, ["namespace", ...pageParameters]), ...pageIssues(query)];
  if (issues.length > 0) return problem({ status: 400, message: "The query is invalid." }, issues);
  const namespaces = query.get("namespace")?.split(",");
  const matching = schedules.list().filter(({ record }) => namespaces?.includes(record.namespace) ?? true);
  const { items, total, next } = pageOf(matching, byName, query);
  return json(200, { total, ...(next !== undefined && { next }), schedules: items.map(scheduleJson) });
}

async function show({ schedules }: ScheduleApi, { name }: ScheduleCall): Promise<GatewayResponse> {
  const schedule = schedules.get(name);
  return schedule === undefined ? missing(name) : json(200, scheduleDetails(schedule));
}

function missing({ namespace, name }: ScheduleName): GatewayResponse {
  return problem({ status: 404, message: `There is no schedule ${name} in namespace ${namespace}.` });
}

async function create(api: ScheduleApi, { request }: ScheduleCall): Promise<GatewayResponse> {
  const format = formatOf(request.headers["content-type"]);
  if (format === undefined)
    return problem({ status: 415, message: "The body must have the type application/json or application/yaml." });
  const read = await readSchedule((await request.readBody()).toString("utf8"), format);
  const options = readQueueOptions(request.query);
  if (!read.ok || !options.ok)
    return problem({ status: 400, message: "The schedule is invalid." }, [...issuesOf(read), ...issuesOf(options)]);
  const { root = "" } = api;
  const { namespace = api.namespace, warnings, ...schedule } = read.value;
  const owner = request.principal.user;
  const result = await api.schedules.create({ ...schedule, ...options.value, namespace, owner });
  return responseOf(result, { name: { namespace, name: schedule.name }, root, warnings });
}

interface ResponseParts {
  readonly name: ScheduleName;
  readonly root: string;
  readonly warnings: readonly string[];
}

function responseOf(
  result: CreateScheduleResult,
  { name: { namespace, name }, root, warnings }: ResponseParts,
): GatewayResponse {
  switch (result.kind) {
    case "created":
    case "repeated": {
      const body = { ...scheduleJson(result.schedule), ...(warnings.length > 0 && { warnings }) };
      const location = `${root}${collection}/${namespace}/${name}`;
      return json(result.kind === "created" ? 201 : 200, body, { location });
    }
    case "rejected":
      return problem({ status: 400, message: "The schedule is invalid." }, result.issues);
    case "conflict": {
      const message = `Schedule ${name} exists in namespace ${namespace}, and differs. Delete it, or use another name.`;
      return problem({ status: 409, message });
    }
    case "unreadable": {
      const message = `The record of schedule ${name} in namespace ${namespace} cannot be read; see the log of the gateway. Delete the schedule, and create it again.`;
      return problem({ status: 409, message });
    }
    case "unavailable": {
      const headers = { "retry-after": String(result.retryAfterSeconds) };
      return problem({ status: 503, message: result.reason, headers });
    }
  }
}

async function setSuspended(
  { schedules }: ScheduleApi,
  { request, name }: ScheduleCall,
  isSuspended: boolean,
): Promise<GatewayResponse> {
  if (schedules.get(name) === undefined) return missing(name);
  await schedules.setSuspended(name, isSuspended, { user: request.principal.user });
  const schedule = schedules.get(name);
  return schedule === undefined ? missing(name) : json(200, scheduleJson(schedule));
}

/** One whose record cannot be read is not shown, but removed. */
async function remove({ schedules }: ScheduleApi, { request, name }: ScheduleCall): Promise<GatewayResponse> {
  return (await schedules.remove(name, request.principal.user)) ? { status: 204 } : missing(name);
}
