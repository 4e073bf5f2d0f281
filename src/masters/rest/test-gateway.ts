import type { Exchange, ExchangeFailure, RestRequest, SendRequest } from "./rest-exchange.ts";

/** Response of a gateway to requests with this prefix, e.g. `POST http://h:6066/v1/submissions/create`. */
export interface GatewayRule {
  readonly on: string;
  /** @default 200 */
  readonly status?: number;
  readonly json?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** ExchangeFailure instead of a response. */
  readonly failure?: ExchangeFailure["why"];
  /** Number of uses, after which later rules apply. @default unlimited */
  readonly times?: number;
  /** Called when the request arrives. */
  readonly onRequest?: () => void;
}

/** ID of every created driver. */
export const driverId = "driver-20260101000000-0000";

/** In-memory gateways. Without a matching rule they respond like an idle master. */
export interface TestGateway {
  readonly send: SendRequest;
  /** Received requests as `METHOD url`. */
  readonly lines: readonly string[];
  readonly requests: readonly RestRequest[];
}

/** Creates gateways that respond by rules. */
export function testGateway(rules: readonly GatewayRule[] = []): TestGateway {
  const left = rules.map((rule) => ({ rule, times: rule.times ?? Number.POSITIVE_INFINITY }));
  const requests: RestRequest[] = [];
  const lines: string[] = [];
  return {
    requests,
    lines,
    async send(request) {
      const line = `${request.method} ${request.url}`;
      requests.push(request);
      lines.push(line);
      const found = left.find(({ rule, times }) => times > 0 && line.startsWith(rule.on));
      if (found === undefined) return response({ on: "", json: defaultResponse(request.url) });
      found.times -= 1;
      found.rule.onRequest?.();
      return response(found.rule);
    },
  };
}

function response({ status = 200, json, text, failure }: GatewayRule): Exchange {
  if (failure !== undefined) return { kind: "failed", failure: { why: failure, reason: `connect ${failure}` } };
  const contentType = json === undefined ? "text/html" : "application/json";
  return { kind: "response", reply: { status, contentType, text: text ?? JSON.stringify(json, null, 2) } };
}

function defaultResponse(url: string): Readonly<Record<string, unknown>> {
  const [action = "", id = driverId] = url.split("/v1/submissions/")[1]?.split("/") ?? [];
  const common = { serverSparkVersion: "4.3.0", success: true };
  switch (action) {
    case "create":
      return { action: "CreateSubmissionResponse", ...common, submissionId: id };
    case "kill":
      return { action: "KillSubmissionResponse", ...common, submissionId: id };
    case "killall":
      return { action: "KillAllSubmissionResponse", ...common, message: "Kill request for all drivers submitted" };
    case "clear":
      return { action: "ClearResponse", ...common, message: "" };
    case "readyz":
      return { action: "ReadyzResponse", ...common, message: "" };
    default:
      return statusResponse("RUNNING", { submissionId: id });
  }
}

/** Builds the status of a driver. */
export function statusResponse(driverState: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    ...{ action: "SubmissionStatusResponse", driverState, serverSparkVersion: "4.3.0", success: true },
    ...{ submissionId: driverId, workerHostPort: "10.0.0.9:7079", workerId: "worker-1", ...more },
  };
}

/** Response of a standby master. */
export const standby = {
  action: "CreateSubmissionResponse",
  message: "Current state is not alive: STANDBY. Can only accept driver submissions in ALIVE state.",
  serverSparkVersion: "4.3.0",
  success: false,
};

/** Response of a master to an unknown driver. */
export const unknownStatus = {
  action: "SubmissionStatusResponse",
  serverSparkVersion: "4.3.0",
  submissionId: driverId,
  success: false,
};

/** Returns the URL of a gateway's submissions. */
export const submissionsUrl = (host: string) => `http://${host}/v1/submissions`;

/** Returns the line of a request that creates a driver. */
export const createLine = (host = "h:6066") => `POST ${submissionsUrl(host)}/create`;

/** Returns the line of a request for the created driver's state. */
export const statusLine = (host = "h:6066") => `GET ${submissionsUrl(host)}/status/${driverId}`;

/** Settings that wait for the driver's end. */
export const waitSettings = { "spark.standalone.submit.waitAppCompletion": "true" };

/** Settings that enable the REST gateway. */
export const restSettings = { "spark.master.rest.enabled": "true" };
