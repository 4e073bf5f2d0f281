import { goQuoted } from "../../../values/go-quoted.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { badRequest, invalid } from "../status.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../validation/field-error.ts";
import { parseBody, type RawBody, textOf } from "../wire/body.ts";
import { flag, integer, timeout } from "../wire/query.ts";

/** Parsed options of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly force: boolean;
}

const validations = ["", "Ignore", "Strict", "Warn"] as const;

/**
 * Parses the options of a create, update or patch request.
 *
 * @throws StatusError 422 that names the kind of options
 */
export function writeOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  { isApply = false } = {},
): WriteOptions {
  timeout(query);
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? undefined;
  const validation = query.get("fieldValidation") ?? "";
  const force = query.get("force");
  const known = validations.find((value) => value === validation);
  const errors: FieldError[] = [
    ...(kind === "PatchOptions" ? patchErrors({ fieldManager, force, isApply }) : []),
    ...managerErrors(fieldManager ?? ""),
    ...dryRunErrors(dryRun),
    ...(known === undefined ? [notSupported("fieldValidation", validation, validations)] : []),
  ];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind, plural: "" }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: fieldManager === "" ? undefined : fieldManager,
    fieldValidation: known === undefined || known === "" ? "Warn" : known,
    force: force === "true" || force === "1",
  };
}

function patchErrors(options: {
  fieldManager: string | undefined;
  force: string | null;
  isApply: boolean;
}): FieldError[] {
  const { fieldManager = "", force, isApply } = options;
  if (!isApply) return force === null ? [] : [forbiddenField("force", "may not be specified for non-apply patch")];
  return fieldManager === "" ? [required("fieldManager", "is required for apply patch")] : [];
}

function managerErrors(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > 128) return [tooLong("fieldManager", 128)];
  const at = manager.search(/\p{C}/u);
  if (at < 0) return [];
  const code = (manager.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return [invalidValue("fieldManager", manager, `invalid character U+${code} (at position ${at})`)];
}

function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [notSupported("dryRun", dryRun, ["All"])];
}

/** Parsed options of a deletion. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan" | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const policies = ["Foreground", "Background", "Orphan"] as const;

/** Parses the options of a deletion from the body if it is not empty, otherwise from the query. @throws StatusError 400, 422 */
export function deleteOptions(query: URLSearchParams, raw: RawBody): DeleteOptions {
  return optionsOfObject(textOf(raw) === "" ? optionsOfQuery(query) : optionsOfBody(raw));
}

/** Parses a DeleteOptions object. @throws StatusError 422 */
export function optionsOfObject(options: JsonObject): DeleteOptions {
  const preconditions = isObject(options["preconditions"]) ? options["preconditions"] : {};
  const dryRun = isArray(options["dryRun"]) ? options["dryRun"].map(String) : [];
  const policy = typeof options["propagationPolicy"] === "string" ? options["propagationPolicy"] : undefined;
  const known = policies.find((value) => value === policy);
  const orphan = options["orphanDependents"];
  const errors: FieldError[] = [
    ...dryRunErrors(dryRun),
    ...(policy !== undefined && orphan !== undefined && orphan !== null
      ? [invalidValue("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set")]
      : []),
    ...(policy !== undefined && known === undefined
      ? [notSupported("propagationPolicy", policy, [...policies, "nil"])]
      : []),
  ];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", plural: "" }, "", errors);
  const grace = options["gracePeriodSeconds"];
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    propagationPolicy: known ?? (orphan === true ? "Orphan" : undefined),
    uid: textOrEmpty(preconditions["uid"]),
    resourceVersion: textOrEmpty(preconditions["resourceVersion"]),
  };
}

/** Returns a text, which may be empty: an empty precondition matches no object. */
function textOrEmpty(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function optionsOfBody(raw: RawBody): JsonObject {
  const { object } = parseBody(raw, undefined);
  checkTypes(object);
  const kind = text(object["kind"]) ?? "DeleteOptions";
  const version = text(object["apiVersion"]) ?? "v1";
  if (kind === "DeleteOptions") return object;
  throw badRequest(
    `${kind} in version ${goQuoted(version.slice(version.indexOf("/") + 1))} cannot be handled as a DeleteOptions: ` +
      "converting to (v1.DeleteOptions): unknown conversion",
  );
}

/** Rejects fields of the wrong type. @throws StatusError 400 */
function checkTypes({ gracePeriodSeconds, dryRun }: JsonObject): void {
  const typeError = (found: string, field: string, type: string) =>
    badRequest(`json: cannot unmarshal ${found} into Go struct field DeleteOptions.${field} of type ${type}`);
  if (typeof gracePeriodSeconds === "string") throw typeError("string", "gracePeriodSeconds", "int64");
  if (typeof dryRun === "string") throw typeError("string", "dryRun", "[]string");
}

function optionsOfQuery(query: URLSearchParams): JsonObject {
  const orphan = query.get("orphanDependents");
  return {
    gracePeriodSeconds: integer(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: orphan === null ? undefined : flag(query, "orphanDependents"),
    dryRun: query.getAll("dryRun"),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
