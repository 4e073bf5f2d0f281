import type { Setting, SettingOrigin } from "../conf/setting.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { isShellResource } from "../plan/special-classes.ts";
import { type FieldName, fieldNames, submitField } from "../plan/submit-fields.ts";
import { internalResource, type PathContext, resolveUri, resolveUris } from "../values/dependency-uri.ts";

/** The text of a field, and where it came from. */
export interface FieldValue {
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** What was told, by field. */
export type FieldValues = ReadonlyMap<FieldName, FieldValue>;

/** All that a submission was told: what fields are merged from. */
export interface FieldSources {
  readonly invocation: SubmitInvocation;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: PathContext;
}

/** Lists of paths; as options they are resolved at once, as settings only later. */
const pathFields: ReadonlySet<FieldName> = new Set(["jars", "files", "pyFiles", "archives"]);

/**
 * Each field that was told: by its option, else by its setting, else by its environment variable.
 *
 * Source: Spark SparkSubmitArguments.loadEnvironmentArguments.
 */
export function mergeFields(sources: FieldSources): FieldValues {
  const fields = new Map<FieldName, FieldValue>();
  for (const name of fieldNames()) {
    const value = toldValue(name, sources);
    if (value !== undefined) fields.set(name, value);
  }
  if (!fields.has("name")) fields.set("name", defaultName(fields, sources));
  return fields;
}

function toldValue(
  name: FieldName,
  { invocation, settings, env, paths }: FieldSources,
): FieldValue | undefined {
  const given = invocation.fields[name];
  if (given !== undefined) {
    const value = pathFields.has(name) ? resolveUris(given, paths) : given;
    return { value, origin: { kind: "option", option: name } };
  }
  const { entry, variable } = submitField(name);
  const keys = entry === undefined ? [] : [entry.key, ...entry.alternatives];
  const setting = keys.map((key) => settings.get(key)).find((candidate) => candidate !== undefined);
  if (setting !== undefined) return setting;
  const fromVariable = variable === undefined ? undefined : env[variable];
  if (variable === undefined || fromVariable === undefined) return undefined;
  return { value: fromVariable, origin: { kind: "environment", variable } };
}

/** The class as it was given, else what the resource's file is called; a class of a manifest never counts. */
function defaultName(fields: FieldValues, { invocation, env, paths }: FieldSources): FieldValue {
  const onYarn = fields.get("master")?.value.startsWith("yarn") === true;
  const variable = "SPARK_YARN_APP_NAME";
  const yarnName = onYarn ? env[variable] : undefined;
  if (yarnName !== undefined) return { value: yarnName, origin: { kind: "environment", variable } };
  const resource = resolveResource(invocation.resource, paths);
  const value = fields.get("mainClass")?.value ?? resource.replace(/\/+$/, "").replace(/^.*\//, "");
  return { value, origin: { kind: "client", why: "class or file of the application" } };
}

/** The primary resource as a URI; names of shells and `spark-internal` stay. */
export function resolveResource(resource: string, paths: PathContext): string {
  return isShellResource(resource) || resource === internalResource ? resource : resolveUri(resource, paths);
}
