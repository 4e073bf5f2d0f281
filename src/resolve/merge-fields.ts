import type { Setting } from "../conf/setting.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { isShellResource } from "../plan/special-classes.ts";
import { type FieldName, fieldNames, submitField } from "../plan/submit-fields.ts";
import { internalResource, type PathContext, resolveUri, resolveUris } from "../values/dependency-uri.ts";
import { type FieldValue, resolveField } from "./resolve-field.ts";

/** What was told, by field. */
export type FieldValues = ReadonlyMap<FieldName, FieldValue>;

/** All that a submission was told: what fields are merged from. */
export interface FieldSources {
  readonly invocation: SubmitInvocation;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: PathContext;
  /** The primary resource as a URI; asked for only by who wants the name. */
  readonly resource: () => string;
}

/**
 * Each field that was told: by its option, else by its setting, else by its environment variable.
 *
 * Source: Spark SparkSubmitArguments.loadEnvironmentArguments.
 */
export function mergeFields(sources: FieldSources): FieldValues {
  const fields = new Map<FieldName, FieldValue>();
  for (const name of fieldNames()) {
    const value = mergeField(name, sources);
    if (value !== undefined) fields.set(name, value);
  }
  if (!fields.has("name")) fields.set("name", defaultName(fields, sources));
  return fields;
}

/** Lists of paths are resolved at once when they are options, and only later when they are settings. */
function mergeField(
  name: FieldName,
  { invocation, settings, env, paths }: FieldSources,
): FieldValue | undefined {
  const field = resolveField(name, { commandLine: invocation, settings, env });
  const isResolved = field?.origin.kind === "option" && submitField(name).isPathList === true;
  return isResolved ? { ...field, value: resolveUris(field.value, paths) } : field;
}

/** The class as it was given, else what the resource's file is called; a class of a manifest never counts. */
function defaultName(fields: FieldValues, { env, resource }: FieldSources): FieldValue {
  const onYarn = fields.get("master")?.value.startsWith("yarn") === true;
  const variable = "SPARK_YARN_APP_NAME";
  const yarnName = onYarn ? env[variable] : undefined;
  if (yarnName !== undefined) return { value: yarnName, origin: { kind: "environment", variable } };
  return {
    get value() {
      return fields.get("mainClass")?.value ?? resource().replace(/\/+$/, "").replace(/^.*\//, "");
    },
    origin: { kind: "client", why: "class or file of the application" },
  };
}

/** The primary resource as a URI; names of shells and `spark-internal` stay. */
export function resolveResource(
  resource: string,
  { paths, line }: { readonly paths: PathContext; readonly line: SparkLine },
): string {
  return isShellResource(resource, line) || resource === internalResource
    ? resource
    : resolveUri(resource, paths);
}
