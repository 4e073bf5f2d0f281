import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import type { SubmitResult } from "../model/applications.ts";
import { printIssues } from "../submit/print-issues.ts";
import { parseCreateRequest } from "./parse-create-request.ts";
import { protocolResponse } from "./print-response.ts";
import type { StandaloneCall } from "./standalone-call.ts";
import { toApplication } from "./to-application.ts";

/** Header with which a client can repeat a request safely. Spark's client does not send it. */
const idempotencyHeader = "idempotency-key";

/** Creates a driver. Responds when the request is stored. */
export async function createDriver(
  { applications, version }: StandaloneCall,
  request: GatewayRequest,
): Promise<GatewayResponse> {
  const parsed = parseCreateRequest(await request.readBody(), version.line);
  if (!parsed.ok) return errorOf(version.text, { status: 400, message: parsed.message });
  const idempotencyKey = request.headers[idempotencyHeader];
  const result = await applications.submit({
    ...{ protocol: "rest", owner: request.principal.user, ...toApplication(parsed.request) },
    traceparent: request.traceparent,
    ...(typeof idempotencyKey === "string" && { idempotencyKey }),
  });
  if (result.kind !== "accepted" && result.kind !== "repeated") return errorOf(version.text, problemOf(result));
  const { id } = result.application.record;
  const { unknownFields } = parsed.request;
  return protocolResponse(200, {
    ...{ action: "CreateSubmissionResponse", serverSparkVersion: version.text, submissionId: id, success: true },
    message: `Driver successfully submitted as ${id}`,
    ...(unknownFields.length > 0 && { unknownFields }),
  });
}

interface Problem {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

function problemOf(result: Exclude<SubmitResult, { kind: "accepted" | "repeated" }>): Problem {
  switch (result.kind) {
    case "rejected":
      return { status: 400, message: `Malformed request: ${printIssues(result.issues)}` };
    case "conflict":
      return { status: 409, message: `Another request with this ${result.with} is the driver ${result.id}.` };
    case "limited":
      return { status: 429, message: result.reason, retryAfterSeconds: result.retryAfterSeconds };
    case "unavailable":
      return { status: 503, message: result.reason, retryAfterSeconds: result.retryAfterSeconds };
  }
}

function errorOf(serverSparkVersion: string, { status, message, retryAfterSeconds }: Problem): GatewayResponse {
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return protocolResponse(status, { action: "ErrorResponse", message, serverSparkVersion }, headers);
}
