import type { SparkVersion } from "../../conf/spark-version.ts";
import { restrictApplications } from "../access/restrict-applications.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";
import { createDriver } from "./create-driver.ts";
import { driverStatus } from "./driver-status.ts";
import { type Action, actionMethods, findAction, protocolVersion } from "./find-action.ts";
import { checkAuthorization } from "./jws-filter.ts";
import { pageResponse, protocolResponse } from "./print-response.ts";
import type { StandaloneCall } from "./standalone-call.ts";

/** HTTP status for another version of the protocol. Source: Spark RestSubmissionServer. */
const unknownVersionStatus = 468;

/** Serves the REST protocol of standalone masters, `/v1/submissions`. */
export function standaloneProtocol(call: StandaloneCall): HttpProtocol {
  const serverSparkVersion = call.version.text;
  const error = (status: number, message: string, headers?: Readonly<Record<string, string>>) =>
    protocolResponse(status, { action: "ErrorResponse", message, serverSparkVersion }, headers);
  return {
    name: "rest",
    owns: (path) => /^\/(?:v\d[^/]*|submissions)(?:\/|$)/i.test(path),
    async respond(request) {
      const { tokenKey: key, clock } = call;
      const rejection =
        key === undefined ? undefined : checkAuthorization(request.headers.authorization, { key, nowMs: clock.now() });
      if (rejection !== undefined) return pageResponse(403, rejection);
      const found = findAction(request.path, call.version.line);
      if (found.kind === "invalid") return error(400, found.message);
      if (found.kind === "unknownVersion") {
        const fields = { message: found.message, highestProtocolVersion: protocolVersion, serverSparkVersion };
        return protocolResponse(unknownVersionStatus, { action: "ErrorResponse", ...fields });
      }
      const { action, id } = found;
      const wrongMethod = checkMethod(request.method, actionMethods[action]);
      if (wrongMethod !== undefined) return wrongMethod;
      if (id === "" && (action === "kill" || action === "status"))
        return error(400, `Submission ID is missing in ${action} request.`);
      const applications = restrictApplications(call.applications, request.permissions);
      return actions[action]({ ...call, applications }, request, id);
    },
    reject: ({ status, message, headers }) => error(status, message, headers),
  };
}

function checkMethod(method: string, allowed: "GET" | "POST"): GatewayResponse | undefined {
  const methods = allowed === "GET" ? ["GET", "HEAD"] : ["POST"];
  if (methods.includes(method)) return undefined;
  const allow = [...methods, "OPTIONS"].join(", ");
  if (method === "OPTIONS") return { status: 200, headers: { allow } };
  // Spark's web server has pages for these methods only.
  if (method !== "GET" && method !== "HEAD" && method !== "POST") return { status: 405 };
  return pageResponse(405, `HTTP method ${method} is not supported by this URL`);
}

type RunAction = (call: StandaloneCall, request: GatewayRequest, id: string) => Promise<GatewayResponse>;

const actions: Readonly<Record<Action, RunAction>> = {
  create: createDriver,
  async status({ applications, version }, _request, id) {
    const application = applications.find("rest", id);
    const fields = application === undefined ? { success: false } : { success: true, ...driverStatus(application) };
    return ok("SubmissionStatusResponse", version, { submissionId: id, ...fields });
  },
  async kill({ applications, version }, { principal }, id) {
    const application = applications.find("rest", id);
    const success = application !== undefined && (await applications.kill(application.record.key, principal.user));
    const message = success
      ? `Kill request for ${id} submitted`
      : `Driver ${id} has already finished or does not exist`;
    return ok("KillSubmissionResponse", version, { submissionId: id, success, message });
  },
  async killall({ applications, version }, { principal }) {
    for (const { record } of ownApplications(applications, principal.user, false))
      await applications.kill(record.key, principal.user);
    const message = "Kill request for all drivers submitted";
    return ok("KillAllSubmissionResponse", version, { success: true, message });
  },
  async clear({ applications, version }, { principal }) {
    for (const { record } of ownApplications(applications, principal.user, true))
      await applications.remove(record.key, principal.user);
    return ok("ClearResponse", version, { success: true, message: "" });
  },
  async readyz({ isReady, version }) {
    if (isReady()) return ok("ReadyzResponse", version, { success: true, message: "" });
    const fields = { action: "ErrorResponse", message: "Master is not ready.", serverSparkVersion: version.text };
    return protocolResponse(503, fields, { "retry-after": "1" });
  },
};

function ok(
  action: string,
  version: SparkVersion,
  fields: Readonly<Record<string, string | boolean | undefined>>,
): GatewayResponse {
  return protocolResponse(200, { action, serverSparkVersion: version.text, ...fields });
}

/** Returns the applications of this protocol that have ended, or those that have not. A user's request concerns only their own. */
function ownApplications(
  applications: Applications,
  user: string | undefined,
  hasEnded: boolean,
): readonly GatewayApplication[] {
  return [...applications.list()].filter(
    ({ record: { protocol, owner, end } }) =>
      protocol === "rest" && (end !== undefined) === hasEnded && (user === undefined || owner === user),
  );
}
