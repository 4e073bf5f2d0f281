import { Stop, type StopSignal } from "../../../errors/stop-signal.ts";
import type { Action, ApiScope, Call } from "../call.ts";
import type { PodLogRequest } from "../pod-logs.ts";
import { parseTime, TimeError } from "../schema/go-time.ts";
import { badRequest, invalid, notFound, StatusError } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { type FieldError, forbiddenField, invalidValue } from "../validation/field-error.ts";
import { find } from "../verbs/get.ts";
import { flag, integer } from "../wire/query.ts";
import { containerOf, podSpecOf } from "./pod-container.ts";

/** Responds with the log of a container, optionally following it: GET of `pods/log`. */
export const podLog: Action = (api, call) => {
  const pod = find(api, call);
  const request = logRequest(api, call, pod);
  const { nodeName } = podSpecOf(pod);
  const logs = api.logs();
  const isKnown = nodeName !== undefined && api.store.get("nodes", undefined, nodeName) !== undefined;
  // Kubernetes' message names the node as if it were a pod.
  if (nodeName !== undefined && !isKnown) throw notFound(call.kind, nodeName);
  // An unscheduled pod, or one on an external node, has no log.
  if (nodeName === undefined || logs === undefined) return { type: "text", status: 204, text: "" };
  const result = logs.read(request);
  if ("chunks" in result) return { type: "stream", contentType: "text/plain", chunks: result.chunks };
  throw logError(result);
};

function logError({ status, message }: { status: number; message: string }): StatusError {
  const { status: base } = badRequest(message);
  return status === 400
    ? new StatusError(base)
    : new StatusError({ ...base, reason: status === 404 ? "NotFound" : "InternalError", code: status });
}

const never: StopSignal = new Stop();

function logRequest(api: ApiScope, { query, name, namespace = "", signal }: Call, pod: StoredObject): PodLogRequest {
  const tailLines = integer(query, "tailLines");
  const limitBytes = integer(query, "limitBytes");
  const sinceSeconds = integer(query, "sinceSeconds");
  const sinceTime = readTime(query.get("sinceTime"));
  const errors: FieldError[] = [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalidValue("tailLines", tailLines, "must be greater than or equal to 0")]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1
      ? [invalidValue("limitBytes", limitBytes, "must be greater than 0")]
      : []),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbiddenField("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified")]
      : sinceSeconds !== undefined && sinceSeconds < 1
        ? [invalidValue("sinceSeconds", sinceSeconds, "must be greater than 0")]
        : []),
    ...((query.get("stream") ?? "") === "" ? [] : [forbiddenField("stream", "may not be specified")]),
  ];
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions", plural: "" }, name, errors);
  return {
    namespace,
    pod: name,
    container: containerOf(pod, query.get("container") ?? ""),
    follow: flag(query, "follow"),
    previous: flag(query, "previous"),
    timestamps: flag(query, "timestamps"),
    tailLines,
    limitBytes,
    since: sinceTime ?? (sinceSeconds === undefined ? undefined : api.clock.now() - sinceSeconds * 1000),
    signal: signal ?? never,
  };
}

function readTime(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  try {
    // Validate as Kubernetes does, but keep the fraction.
    parseTime(text, { isMicro: false });
    return Date.parse(text);
  } catch (error) {
    if (error instanceof TimeError) throw badRequest(error.message);
    throw error;
  }
}
