import type { ErrorCode } from "../../errors/codes.ts";
import type { GatewayResponse } from "../http/gateway-request.ts";

/** Error codes of the protocol with their HTTP status. The operator retries the last two. */
const statuses = {
  BAD_REQUEST: 400,
  INVALID_SPARK_SUBMIT_ARGS: 400,
  METHOD_NOT_ALLOWED: 405,
  UNSUPPORTED_MEDIA_TYPE: 415,
  DRIVER_POD_ALREADY_EXISTS: 409,
  INVALID_POD_TEMPLATE: 422,
  INTERNAL_SERVER_ERROR: 500,
  SUBMITTER_OVERLOADED: 503,
} as const;

/** Error code of the protocol. */
export type SubmitterErrorCode = keyof typeof statuses;

/** An error of the protocol. */
export interface SubmitterError {
  readonly code: SubmitterErrorCode;
  readonly message: string;
  /** Empty if the request has none. */
  readonly submissionId: string;
  readonly nowMs: number;
  /** @default the status of the code */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Prints an error. The operator repeats a request whose error lacks a field. */
export function errorResponse({ code, message, submissionId, nowMs, ...options }: SubmitterError): GatewayResponse {
  const { status = statuses[code], headers = {} } = options;
  const timestamp = new Date(nowMs).toISOString();
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ submission_id: submissionId, status, error_code: code, message, timestamp }),
  };
}

/** Returns the error code of a request that was rejected before the protocol saw it. */
export function codeOfStatus(status: number): SubmitterErrorCode {
  if (status === 429 || status === 503) return "SUBMITTER_OVERLOADED";
  return status >= 500 ? "INTERNAL_SERVER_ERROR" : "BAD_REQUEST";
}

const podExists: readonly ErrorCode[] = ["SUBMIT_ERR_KUBE_CONFLICT", "SUBMIT_ERR_TOKEN_REUSED"];
const templateErrors: readonly ErrorCode[] = [
  ...(["SUBMIT_ERR_TEMPLATE_UNUSABLE", "SUBMIT_ERR_TEMPLATE_NOT_A_POD", "SUBMIT_ERR_KUBE_INVALID"] as const),
  ...(["SUBMIT_ERR_KUBE_POD_SECURITY", "SUBMIT_ERR_KUBE_ADMISSION"] as const),
];
/** Errors that are not the client's. */
const serverErrors: readonly ErrorCode[] = ["SUBMIT_ERR_KUBE_UNAUTHORIZED", "SUBMIT_ERR_KUBE_FORBIDDEN"];

/** Returns the error code of a submission that Firesteel or Kubernetes rejected. */
export function codeOfRejection(codes: readonly ErrorCode[], hasTemplates: boolean): SubmitterErrorCode {
  const has = (some: readonly ErrorCode[]) => codes.some((code) => some.includes(code));
  if (has(podExists)) return "DRIVER_POD_ALREADY_EXISTS";
  if (has(["SUBMIT_ERR_KUBE_QUOTA"])) return "SUBMITTER_OVERLOADED";
  if (has(serverErrors)) return "INTERNAL_SERVER_ERROR";
  return hasTemplates && has(templateErrors) ? "INVALID_POD_TEMPLATE" : "INVALID_SPARK_SUBMIT_ARGS";
}
