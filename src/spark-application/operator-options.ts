import { type Issue, type Result, success } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import type { IngressTls } from "./application.ts";
import { schemaIssues } from "./read/read-application.ts";
import { flag, listOf, named, object, text, textList, textMap } from "./schema/schema.ts";

/** Settings of the operator that change what becomes of an application. */
export interface OperatorOptions {
  /** URL of the Ingress of each web UI, e.g. `{{$appName}}.ui.example`. @default no Ingress */
  readonly ingressUrlFormat?: string;
  readonly ingressClassName?: string;
  readonly ingressAnnotations?: StringMap;
  readonly ingressTls?: readonly IngressTls[];
  /** @default false */
  readonly disableUiService?: boolean;
  /** Scheduler of applications without `batchScheduler`. @default none */
  readonly defaultBatchScheduler?: string;
}

const schema = object({
  ...named("ingressUrlFormat ingressClassName defaultBatchScheduler", text),
  ingressAnnotations: textMap,
  ingressTls: listOf(object({ hosts: textList, secretName: text })),
  disableUiService: flag,
});

/** Checks the content of a file with options of the operator. Errors: SUBMIT_ERR_MANIFEST_FIELD, SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN. */
export function readOperatorOptions(file: string, value: unknown): Result<OperatorOptions> {
  const issues = schemaIssues(file, value, schema);
  return isOptions(value, issues) ? success(value) : { ok: false, issues };
}

function isOptions(value: unknown, issues: readonly Issue[]): value is OperatorOptions {
  return typeof value === "object" && issues.length === 0;
}
