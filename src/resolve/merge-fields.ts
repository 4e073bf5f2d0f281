import type { Setting } from "../conf/setting.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { isShellResource } from "../plan/special-classes.ts";
import { type FieldName, fieldNames, submitField } from "../plan/submit-fields.ts";
import { internalResource, type PathContext, resolveUri, resolveUris } from "../values/dependency-uri.ts";
import { type FieldValue, resolveField } from "./resolve-field.ts";

/** Values of the specified fields. */
export type FieldValues = ReadonlyMap<FieldName, FieldValue>;

/** Sources from which fields are merged. */
interface FieldSources {
  readonly invocation: SubmitInvocation;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: PathContext;
  /** Returns the primary resource as a URI; called only if the application name depends on it. */
  readonly resource: () => string;
}

/**
 * Merges each field from its option, else its setting, else its environment variable.
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

/** Merges one field. Path lists of options are resolved here; those of settings only when settings are prepared. */
function mergeField(name: FieldName, { invocation, settings, env, paths }: FieldSources): FieldValue | undefined {
  const field = resolveField(name, { commandLine: invocation, settings, env });
  const isResolved = field?.origin.kind === "option" && submitField(name).isPathList === true;
  return isResolved ? { ...field, value: resolveUris(field.value, paths) } : field;
}

/** Returns the specified class, else the file name of the resource; never the class of a manifest. */
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

/** Resolves the primary resource to a URI; names of shells and `spark-internal` are unchanged. */
export function resolveResource(
  resource: string,
  { paths, line }: { readonly paths: PathContext; readonly line: SparkLine },
): string {
  return isShellResource(resource, line) || resource === internalResource ? resource : resolveUri(resource, paths);
}
