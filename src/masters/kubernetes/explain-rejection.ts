import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Rejection } from "../../diagnosis/observation.ts";
import { isSubmitError, SubmitError } from "../../errors/submit-error.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource } from "../../kube/types.ts";
import { propertiesIn } from "./diagnose/driver-properties.ts";

/** What the refused submission consisted of. */
export interface Refused {
  /** Ms since the epoch. */
  readonly now: number;
  readonly resources: readonly KubeResource[];
}

/** The same error; where the reason of the refusal is known, its hint says it, and what to do. */
export function explainRejection(error: unknown, { now, resources }: Refused): unknown {
  const rejection = rejectionOf(error);
  if (!isSubmitError(error) || rejection === undefined) return error;
  const properties = propertiesIn(resources);
  const diagnosis = diagnose({ now, properties, executors: [], events: [], objects: [], rejection });
  if (diagnosis === undefined) return error;
  const [first, ...others] = error.issues;
  const hint = `${closed(diagnosis.message)} ${diagnosis.nextStep}`;
  return new SubmitError([{ ...first, hint }, ...others], { cause: error.cause });
}

/** With a full stop, which the words of a server may lack. */
function closed(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** The request is told in the words of Apache's client, which are all that an error keeps of it. */
function rejectionOf(error: unknown): Rejection | undefined {
  const status = statusOf(error);
  if (!isSubmitError(error) || status === undefined) return undefined;
  const [, method, url = ""] =
    /^Failure executing: (\w+) at: (\S+)\. Message/.exec(error.issues[0].message) ?? [];
  if (method === undefined || !URL.canParse(url)) return undefined;
  const body = status.kind === "Status" ? status : status.message;
  return { method, path: new URL(url).pathname, status: status.code ?? 0, body };
}
