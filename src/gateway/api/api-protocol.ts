import { issuesOf, type Result } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import type { Route } from "../../http/route.ts";
import { restrictApplications } from "../access/restrict-applications.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { isBelow } from "../http/is-below.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications, SubmitResult } from "../model/applications.ts";
import { requirePermission } from "../model/permissions.ts";
import type { Explanation } from "../submit/explain-driver.ts";
import type { LinksOf } from "../ui/ui-links.ts";
import { applicationDetails, applicationJson } from "./application-json.ts";
import { changeStream } from "./change-stream.ts";
import { eventStream } from "./event-stream.ts";
import { followLog } from "./follow-log.ts";
import { openApi } from "./open-api.ts";
import { json, problem } from "./problem.ts";
import { type QueueView, queuesJson } from "./queues-json.ts";
import { formatOf } from "./read-document.ts";
import { readQueueOptions } from "./read-queue-options.ts";
import { logRangeOf } from "./read-range.ts";
import { readSubmission } from "./read-submission.ts";
import { routeRequest } from "./route-request.ts";
import { selectApplications } from "./select-applications.ts";

interface ApiCall {
  readonly request: GatewayRequest;
  /** `undefined` for routes without a key. */
  readonly application: GatewayApplication | undefined;
}

interface ApiScope {
  readonly host: Pick<Host, "clock">;
  readonly applications: Applications;
  /** Reads the events about an application, the oldest first. */
  readonly events: (application: GatewayApplication) => Promise<readonly object[]>;
  /** Explains what the submission of an application creates. */
  readonly explain: (application: GatewayApplication) => Promise<Result<Explanation>>;
  /** Explains in sentences why an application makes no progress; `undefined` if there is nothing to say. */
  readonly diagnose: (application: GatewayApplication) => Promise<string | undefined>;
  readonly queues: QueueView;
  readonly links: LinksOf;
  /** Path of headers `Location`. @default none */
  readonly root?: string;
  /** Path that ends the session of a browser. @default clients have no sessions */
  readonly logoutUrl?: string | undefined;
}

type Action = (scope: ApiScope, call: ApiCall) => Promise<GatewayResponse>;

/** Root of all paths of the API. */
export const apiRoot = "/api/v1";
const collection = `${apiRoot}/applications`;
const roots = [collection, `${apiRoot}/changes`, `${apiRoot}/queues`, `${apiRoot}/session`, `${apiRoot}/openapi.json`];

const routes: readonly Route<Action>[] = [
  { method: "GET", path: `${apiRoot}/openapi.json`, run: async () => json(200, openApi()) },
  { method: "GET", path: `${apiRoot}/changes`, run: streamChanges },
  { method: "GET", path: `${apiRoot}/queues`, run: async ({ queues }) => json(200, queuesJson(queues)) },
  { method: "GET", path: `${apiRoot}/session`, run: showSession },
  { method: "GET", path: collection, run: list },
  { method: "POST", path: collection, run: submit },
  { method: "GET", path: `${collection}/{key}`, run: showDetails },
  { method: "DELETE", path: `${collection}/{key}`, run: remove },
  { method: "POST", path: `${collection}/{key}/kill`, run: kill },
  { method: "POST", path: `${collection}/{key}/retry`, run: retry },
  { method: "GET", path: `${collection}/{key}/log`, run: readLog },
  { method: "GET", path: `${collection}/{key}/events`, run: readEvents },
  { method: "GET", path: `${collection}/{key}/diagnosis`, run: readDiagnosis },
  { method: "GET", path: `${collection}/{key}/explain`, run: readExplanation },
];

/** Serves Firesteel's own API. */
export function apiProtocol(scope: ApiScope): HttpProtocol {
  return {
    name: "api",
    owns: (path) => roots.some((own) => isBelow(path, own)),
    respond: routeRequest(routes, async (run, request, { key }) => {
      const applications = restrictApplications(scope.applications, request.permissions);
      const application = key === undefined ? undefined : applications.get(key);
      if (key !== undefined && application === undefined)
        return problem({ status: 404, message: `There is no application ${key}.` });
      return run({ ...scope, applications }, { request, application });
    }),
    reject: problem,
  };
}

function known({ application }: ApiCall): GatewayApplication {
  if (application === undefined) throw new Error("A route with a key has no application.");
  return application;
}

async function showDetails({ links }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  const application = known(call);
  return json(200, applicationDetails(application, links(application)));
}

async function showSession({ logoutUrl }: ApiScope, { request }: ApiCall): Promise<GatewayResponse> {
  return json(200, { user: request.principal.user, logoutUrl });
}

async function list({ applications, links }: ApiScope, { request }: ApiCall): Promise<GatewayResponse> {
  const page = selectApplications(applications.list(), request.query);
  if (!page.ok) return problem({ status: 400, message: "The query is invalid." }, page.issues);
  const { total, next } = page.value;
  return json(200, {
    total,
    ...(next !== undefined && { next }),
    applications: page.value.applications.map((application) => applicationJson(application, links(application))),
  });
}

async function submit({ applications, links, root = "" }: ApiScope, { request }: ApiCall): Promise<GatewayResponse> {
  const { headers, principal } = request;
  const format = formatOf(headers["content-type"]);
  if (format === undefined)
    return problem({ status: 415, message: "The body must have the type application/json or application/yaml." });
  const read = await readSubmission((await request.readBody()).toString("utf8"), format);
  const options = readQueueOptions(request.query);
  if (!read.ok || !options.ok)
    return problem({ status: 400, message: "The application is invalid." }, [...issuesOf(read), ...issuesOf(options)]);
  const idempotencyKey = headers["idempotency-key"];
  const { warnings, ...application } = read.value;
  const result = await applications.submit({
    ...{ protocol: "api", ...application, ...options.value, owner: principal.user },
    traceparent: request.traceparent,
    ...(typeof idempotencyKey === "string" && { idempotencyKey }),
  });
  return responseOf(result, { links, root, warnings });
}

interface ResponseParts {
  readonly links: LinksOf;
  readonly root: string;
  readonly warnings: readonly string[];
}

function responseOf(result: SubmitResult, { links, root, warnings }: ResponseParts): GatewayResponse {
  switch (result.kind) {
    case "accepted":
    case "repeated": {
      const { application } = result;
      const location = `${root}${collection}/${application.record.key}`;
      const described = applicationJson(application, links(application));
      const body = warnings.length === 0 ? described : { ...described, warnings };
      return json(result.kind === "accepted" ? 201 : 200, body, { location });
    }
    case "rejected":
      return problem({ status: 400, message: "The application is invalid." }, result.issues);
    case "conflict":
      return problem({ status: 409, message: `Application ${result.id} has the same ${result.with}, and differs.` });
    case "limited":
    case "unavailable": {
      const headers = { "retry-after": String(result.retryAfterSeconds) };
      return problem({ status: result.kind === "limited" ? 429 : 503, message: result.reason, headers });
    }
  }
}

async function kill({ applications, links }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  const { key } = known(call).record;
  const isKilled = await applications.kill(key, call.request.principal.user);
  const application = applications.get(key);
  if (!isKilled || application === undefined) return problem({ status: 409, message: `Application ${key} has ended.` });
  return json(202, applicationJson(application, links(application)));
}

async function remove({ applications }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  await applications.remove(known(call).record.key, call.request.principal.user);
  return { status: 204 };
}

async function retry({ applications, links }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  const { key } = known(call).record;
  const isRepeated = await applications.retry(key, call.request.principal.user);
  const application = applications.get(key);
  if (!isRepeated || application === undefined)
    return problem({ status: 409, message: `Application ${key} has not ended, so it cannot be repeated.` });
  return json(202, applicationJson(application, links(application)));
}

async function readLog(scope: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  const application = known(call);
  const range = logRangeOf(call.request.query);
  if (!range.ok) return problem({ status: 400, message: "The query is invalid." }, range.issues);
  const { applications, host } = scope;
  requirePermission(call.request.permissions, "readLog", application.record.namespace);
  if (call.request.query.get("follow") === "true") {
    const body = followLog({ applications, clock: host.clock, signal: call.request.signal }, application, range.value);
    return eventStream(body);
  }
  return json(200, await applications.readLog(application.record.key, range.value));
}

async function readEvents({ events }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  return json(200, { events: await events(known(call)) });
}

async function readDiagnosis({ diagnose }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  const application = known(call);
  const { end } = application.record;
  const stated = application.waiting?.reason ?? application.schedulerMessage;
  const message = end === undefined ? (stated ?? (await diagnose(application))) : end.message;
  return json(200, { message });
}

async function readExplanation({ explain }: ApiScope, call: ApiCall): Promise<GatewayResponse> {
  const explanation = await explain(known(call));
  return explanation.ok
    ? json(200, explanation.value)
    : problem({ status: 409, message: "The submission cannot be explained." }, explanation.issues);
}

async function streamChanges({ applications, host, links }: ApiScope, { request }: ApiCall): Promise<GatewayResponse> {
  const body = changeStream({ applications, links, clock: host.clock, signal: request.signal });
  return eventStream(body);
}
