import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { Rejection } from "../../diagnosis/observation.ts";
import { isSubmitError, SubmitError } from "../../errors/submit-error.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource } from "../../kube/types.ts";
import { propertiesIn } from "./diagnose/driver-properties.ts";

/** Returns the error with the cause of the rejection and the next step as its hint, if a rule knows the cause. */
export function explainRejection(error: unknown, resources: readonly KubeResource[], now: number): unknown {
  const diagnosis = diagnoseRejection(error, resources, now);
  if (!isSubmitError(error) || diagnosis === undefined) return error;
  const [first, ...others] = error.issues;
  // A server's message can lack its full stop.
  const message = /[.!?]$/.test(diagnosis.message) ? diagnosis.message : `${diagnosis.message}.`;
  const hint = `${message} ${diagnosis.nextStep}`;
  return new SubmitError([{ ...first, hint }, ...others], { cause: error.cause });
}

/** Finds the cause of a rejection; `undefined` if the error is another one. */
export function diagnoseRejection(
  error: unknown,
  resources: readonly KubeResource[],
  now: number,
): Diagnosis | undefined {
  const rejection = rejectionOf(error);
  if (rejection === undefined) return undefined;
  const properties = propertiesIn(resources);
  return diagnose({ now, properties, executors: [], events: [], objects: [], rejection });
}

/** Parses the rejected request from the message, which has the text of Spark's client: an error keeps nothing else of it. */
function rejectionOf(error: unknown): Rejection | undefined {
  const status = statusOf(error);
  if (!isSubmitError(error) || status === undefined) return undefined;
  const [, method, url = ""] = /^Failure executing: (\w+) at: (\S+)\. Message/.exec(error.issues[0].message) ?? [];
  if (method === undefined || !URL.canParse(url)) return undefined;
  const body = status.kind === "Status" ? status : status.message;
  return { method, path: new URL(url).pathname, status: status.code ?? 0, body };
}
