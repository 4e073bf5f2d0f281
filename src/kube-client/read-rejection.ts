import { SubmitError } from "../errors/submit-error.ts";
import type { Clock } from "../host/host.ts";
import { type ApiCall, parseStatus, rejectionIssue } from "../kube/status.ts";
import type { ApiResponse } from "../kube/transport.ts";
import { readBeginning } from "./lines.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Maximum part of an error response that is read. */
const maxErrorBytes = 1024 * 1024;

/** A failed attempt. */
export interface Failure {
  readonly error: SubmitError;
  readonly retry: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** Reads a response that rejects a request. Its error has the status as its cause. */
export async function readRejection(
  { server, clock }: { readonly server: string; readonly clock: Clock },
  call: Omit<ApiCall, "server">,
  { status: code, headers, body }: ApiResponse,
): Promise<Failure> {
  const { bytes } = await readBeginning(body, maxErrorBytes);
  const status = parseStatus(code, bytes.toString("utf8"));
  return {
    error: new SubmitError([rejectionIssue({ ...call, server }, code, status)], { cause: status }),
    retry: code === 429 || code >= 500,
    retryAfterMs: parseRetryAfter(headers["retry-after"], clock.now()),
  };
}
