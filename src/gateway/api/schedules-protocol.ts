import { issuesOf } from "../../errors/issue.ts";
import { type Route, router } from "../../http/route.ts";
import { restrictSchedules } from "../access/restrict-schedules.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { isBelow } from "../http/is-below.ts";
import type { CreateScheduleResult, GatewaySchedule, ScheduleName, Schedules } from "../model/schedules.ts";
import { json, problem } from "./problem.ts";
import { formatOf } from "./read-document.ts";
import { readQueueOptions } from "./read-queue-options.ts";
import { readSchedule } from "./read-schedule.ts";
import { scheduleDetails, scheduleJson } from "./schedule-json.ts";

interface SchedulesScope {
  readonly schedules: Schedules;
  /** Namespace of schedules that name none. */
  readonly namespace: string;
  /** Path of headers `Location`. @default none */
  readonly root?: string;
}

interface ScheduleCall {
  readonly request: GatewayRequest;
  /** `undefined` for routes without a name. */
  readonly schedule: GatewaySchedule | undefined;
}

type Action = (scope: SchedulesScope, call: ScheduleCall) => Promise<GatewayResponse>;

/** Path of all schedules. */
const collection = "/api/v1/schedules";
const one = `${collection}/{namespace}/{name}`;

const routes: readonly Route<Action>[] = [
  {
    method: "GET",
    path: collection,
    run: async ({ schedules }) => json(200, { schedules: schedules.list().map(scheduleJson) }),
  },
  { method: "POST", path: collection, run: create },
  { method: "GET", path: one, run: async (_, call) => json(200, scheduleDetails(known(call))) },
  { method: "DELETE", path: one, run: remove },
  { method: "POST", path: `${one}/suspend`, run: (scope, call) => setSuspended(scope, call, true) },
  { method: "POST", path: `${one}/resume`, run: (scope, call) => setSuspended(scope, call, false) },
];

/** Serves the schedules of Firesteel's own API. */
export function schedulesProtocol(scope: SchedulesScope): HttpProtocol {
  const find = router(routes);
  return {
    name: "api",
    owns: (path) => isBelow(path, collection),
    async respond(request) {
      const schedules = restrictSchedules(scope.schedules, request.permissions);
      const method = request.method === "HEAD" ? "GET" : request.method;
      const match = find(method, request.path);
      if (match.kind === "unknown") return problem({ status: 404, message: "This path does not exist." });
      if (match.kind === "wrongMethod") {
        const headers = { allow: match.allowed.join(", ") };
        return problem({ status: 405, message: `${method} is not allowed here.`, headers });
      }
      const { namespace, name } = match.parameters;
      if (namespace === undefined || name === undefined)
        return match.route.run({ ...scope, schedules }, { request, schedule: undefined });
      const schedule = schedules.get({ namespace, name });
      if (schedule === undefined)
        return problem({ status: 404, message: `There is no schedule ${name} in namespace ${namespace}.` });
      return match.route.run({ ...scope, schedules }, { request, schedule });
    },
    reject: problem,
  };
}

function known({ schedule }: ScheduleCall): GatewaySchedule {
  if (schedule === undefined) throw new Error("A route with a name has no schedule.");
  return schedule;
}

async function create(scope: SchedulesScope, { request }: ScheduleCall): Promise<GatewayResponse> {
  const format = formatOf(request.headers["content-type"]);
  if (format === undefined)
    return problem({ status: 415, message: "The body must have the type application/json or application/yaml." });
  const read = await readSchedule((await request.readBody()).toString("utf8"), format);
  const options = readQueueOptions(request.query);
  if (!read.ok || !options.ok)
    return problem({ status: 400, message: "The schedule is invalid." }, [...issuesOf(read), ...issuesOf(options)]);
  const { root = "" } = scope;
  const { namespace = scope.namespace, warnings, ...schedule } = read.value;
  const owner = request.principal.user;
  const result = await scope.schedules.create({ ...schedule, ...options.value, namespace, owner });
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
    case "unavailable": {
      const headers = { "retry-after": String(result.retryAfterSeconds) };
      return problem({ status: 503, message: result.reason, headers });
    }
  }
}

async function setSuspended(
  { schedules }: SchedulesScope,
  call: ScheduleCall,
  isSuspended: boolean,
): Promise<GatewayResponse> {
  const { record } = known(call);
  await schedules.setSuspended(record, isSuspended, call.request.principal.user);
  const schedule = schedules.get(record);
  if (schedule === undefined) return problem({ status: 404, message: `The schedule ${record.name} was removed.` });
  return json(200, scheduleJson(schedule));
}

async function remove({ schedules }: SchedulesScope, call: ScheduleCall): Promise<GatewayResponse> {
  await schedules.remove(known(call).record, call.request.principal.user);
  return { status: 204 };
}
