import type { SparkLine } from "../../conf/spark-version.ts";
import type { Clock } from "../../host/host.ts";
import { restrictApplications } from "../access/restrict-applications.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications, NewApplication, SubmitResult } from "../model/applications.ts";
import { printIssues } from "../submit/print-issues.ts";
import { templatePaths } from "../submit/to-invocation.ts";
import { awaitDriver } from "./await-driver.ts";
import { parseSubmitArgs } from "./parse-submit-args.ts";
import { parseSubmitRequest, type SubmitRequest } from "./parse-submit-request.ts";
import { parsePodTemplate } from "./pod-template.ts";
import { codeOfRejection, codeOfStatus, errorResponse, type SubmitterErrorCode } from "./submitter-error.ts";

/** Dependencies of the protocol. */
export interface SubmitterCall {
  readonly applications: Applications;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Release line whose options spark-submit has. */
  readonly line: SparkLine;
}

const path = "/api/v1/spark-submit";

/** Less than the operator's default timeout of a request, 2 minutes. */
const driverTimeoutMs = 90_000;

const templateFields = { driver: "driver_pod_template", executor: "executor_pod_template" } as const;

/** Serves the submitter that the Spark operator calls with its feature RestSubmitter. */
export function submitterProtocol(call: SubmitterCall): HttpProtocol {
  return {
    name: "submitter",
    owns: (found) => found === path || found === `${path}/`,
    async respond(request) {
      const fail = (code: SubmitterErrorCode, message: string, headers?: Readonly<Record<string, string>>) =>
        errorResponse({ code, message, submissionId: "", nowMs: call.clock.now(), headers });
      if (request.method !== "POST")
        return fail("METHOD_NOT_ALLOWED", `Use POST, not ${request.method}.`, { allow: "POST" });
      const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
      if (type !== "application/json")
        return fail("UNSUPPORTED_MEDIA_TYPE", "The content type must be application/json.");
      return submit(call, request);
    },
    reject: ({ status, message, headers }) =>
      errorResponse({
        code: codeOfStatus(status),
        message,
        submissionId: "",
        nowMs: call.clock.now(),
        status,
        headers,
      }),
  };
}

type Fail = (code: SubmitterErrorCode, message: string, headers?: Readonly<Record<string, string>>) => GatewayResponse;

async function submit(call: SubmitterCall, request: GatewayRequest): Promise<GatewayResponse> {
  const { applications, clock } = call;
  const parsed = parseSubmitRequest(await request.readBody());
  const submissionId = parsed.ok ? parsed.request.submissionId : parsed.submissionId;
  const fail: Fail = (code, message, headers) =>
    errorResponse({ code, message, submissionId, nowMs: clock.now(), headers });
  if (!parsed.ok) return fail("BAD_REQUEST", parsed.problems.join(" "));
  const application = toApplication(parsed.request, call.line);
  if (!application.ok) return fail(application.code, application.problems.join(" "));
  const permitted = restrictApplications(applications, request.permissions);
  const { principal, traceparent } = request;
  const result = await permitted.submit({ ...application.value, owner: principal.user, traceparent });
  if (result.kind !== "accepted" && result.kind !== "repeated") return failedResult(fail, result);
  const { key } = result.application.record;
  const wait = { clock, timeoutMs: driverTimeoutMs, signal: request.signal };
  const found = await awaitDriver(applications, key, wait);
  return describe({ ...{ applications, fail }, isRepeated: result.kind === "repeated" }, found);
}

type ConvertedRequest =
  | { readonly ok: true; readonly value: NewApplication }
  | { readonly ok: false; readonly code: SubmitterErrorCode; readonly problems: readonly string[] };

function toApplication({ submissionId, args, templates }: SubmitRequest, line: SparkLine): ConvertedRequest {
  const parsed = parseSubmitArgs(args, line);
  if (!parsed.ok) return { ok: false, code: "INVALID_SPARK_SUBMIT_ARGS", problems: parsed.problems };
  const driver = parsePodTemplate(templateFields.driver, templates.driver);
  const executor = parsePodTemplate(templateFields.executor, templates.executor);
  if (!driver.ok || !executor.ok) {
    const problems = [driver, executor].flatMap((template) => (template.ok ? [] : template.problems));
    return { ok: false, code: "INVALID_POD_TEMPLATE", problems };
  }
  const submission = { ...parsed.submission, templates: { driver: driver.text, executor: executor.text } };
  const { name } = parsed;
  const { proxyUser } = parsed.submission.fields;
  return { ok: true, value: { protocol: "submitter", id: submissionId, name, proxyUser, submission } };
}

function failedResult(fail: Fail, result: Exclude<SubmitResult, { kind: "accepted" | "repeated" }>): GatewayResponse {
  switch (result.kind) {
    case "rejected": {
      const code = codeOfRejection(
        result.issues.map((issue) => issue.code),
        true,
      );
      return fail(code, namingFields(printIssues(result.issues)));
    }
    case "conflict":
      return fail("DRIVER_POD_ALREADY_EXISTS", `Another submission has this ${result.with}: ${result.id}.`);
    case "limited":
    case "unavailable":
      return fail("SUBMITTER_OVERLOADED", result.reason, { "retry-after": String(result.retryAfterSeconds) });
  }
}

interface Outcome {
  readonly applications: Applications;
  readonly fail: Fail;
  readonly isRepeated: boolean;
}

/** Describes the driver of an accepted submission, or why there is none. A rejected submission leaves no record. */
async function describe(
  { applications, fail, isRepeated }: Outcome,
  application: GatewayApplication | undefined,
): Promise<GatewayResponse> {
  if (application === undefined) return fail("SUBMITTER_OVERLOADED", "The submission was removed meanwhile.");
  const { record, driver, state, waiting } = application;
  const { end } = record;
  if (end?.codes !== undefined) {
    await applications.remove(record.key, undefined);
    const hasTemplates = record.submission.templates.driver !== undefined;
    return fail(
      codeOfRejection(end.codes, hasTemplates),
      namingFields(end.message ?? "Kubernetes rejected the driver."),
    );
  }
  if (driver === undefined && end === undefined) {
    // A queued submission has no driver for the operator to find. Its next request is queued again.
    if (state === "queued") await applications.remove(record.key, undefined);
    return fail("SUBMITTER_OVERLOADED", waiting?.reason ?? "The cluster has not created the driver yet.");
  }
  return {
    status: isRepeated ? 200 : 201,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      submission_id: record.id,
      app_name: record.name ?? "",
      message: isRepeated ? "The driver was created by an earlier request." : "The driver was created.",
      spark_app_id: record.appId ?? "",
      driver_pod_name: record.podName,
      driver_pod_uid: driver?.uid ?? "",
      namespace: record.namespace,
      submitted_at: new Date(record.acceptedMs).toISOString(),
      duplicate_submission: isRepeated,
    }),
  };
}

/** Replaces the paths of templates, which clients do not know, by the fields of the request. */
function namingFields(message: string): string {
  return message
    .replaceAll(templatePaths.driver, templateFields.driver)
    .replaceAll(templatePaths.executor, templateFields.executor)
    .trim();
}
