import * as app from "../conf/entries/app.ts";
import { driverHost } from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { Setting, SettingOrigin } from "../conf/setting.ts";
import { type Issue, issue, success } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import { languageOf } from "../plan/app-resource.ts";
import type { ClusterManager } from "../plan/cluster-manager.ts";
import { type FieldName, fieldNames, submitField } from "../plan/submit-fields.ts";
import { internalResource, type PathContext, resolveUris } from "../values/dependency-uri.ts";
import { expandGlobs } from "./expand-globs.ts";
import type { FieldValues } from "./merge-fields.ts";
import { nearestFile } from "./nearest-file.ts";

/** Inputs of the settings of a driver in cluster mode. */
interface PrepareSettingsInput {
  readonly host: Host;
  readonly paths: PathContext;
  readonly fields: FieldValues;
  readonly settings: ReadonlyMap<string, Setting>;
  /** Primary resource as specified; its extension determines the language. */
  readonly specifiedResource: string;
  /** Primary resource as a URI. */
  readonly resource: string;
  readonly manager: ClusterManager;
  /** Value of `spark.master`, e.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
}

/** Settings of a driver, without those that `issues` reject. */
interface PreparedSettings {
  readonly settings: readonly Setting[];
  readonly issues: readonly Issue[];
}

/**
 * Prepares the settings that a driver in cluster mode starts with: turns fields into settings and paths into URIs, and adds
 * the application's own jar.
 *
 * Errors: those of `expandGlobs`, for all lists together; SUBMIT_ERR_KEYTAB_MISSING.
 * Source: Spark SparkSubmit.prepareSubmitEnvironment, steps from the globs to the submit time.
 */
export function prepareSettings(input: PrepareSettingsInput): PreparedSettings {
  const { host, paths, fields, manager } = input;
  const settings: SettingMap = new Map(input.settings);
  const issues = [...keytabIssues(input), ...addFields(settings, input)];
  put(settings, app.master.key, input.master, fields.get("master")?.origin ?? preparation);
  if (languageOf(input.specifiedResource) === "java" && manager !== "yarn") {
    put(settings, app.jars.key, withOwnJar(settings.get(app.jars.key)?.value, input.resource), preparation);
  }
  for (const { key } of uriLists) {
    const setting = settings.get(key);
    if (setting !== undefined) put(settings, key, resolveUris(setting.value, paths), setting.origin);
  }
  const defaults = { [app.submitPyFiles.key]: "", [app.appSubmitTime.key]: String(host.clock.now()) };
  for (const [key, value] of Object.entries(defaults)) if (!settings.has(key)) put(settings, key, value, preparation);
  settings.delete(driverHost.key);
  return { settings: [...settings.values()], issues };
}

type SettingMap = Map<string, Setting>;

const preparation = { kind: "client", why: "preparation" } as const;

function put(settings: SettingMap, key: string, value: string, origin: SettingOrigin): void {
  settings.set(key, { key, value, origin });
}

/** Adds the specified fields to the settings. Returns the issues of patterns that cannot be expanded. */
function addFields(settings: SettingMap, { host, paths, fields, manager }: PrepareSettingsInput): readonly Issue[] {
  const issues: Issue[] = [];
  for (const name of fieldNames()) {
    const field = fields.get(name);
    if (field === undefined) continue;
    const { isPathList, distributed } = submitField(name);
    const entries = entriesOf(name, manager);
    if (entries.length === 0) continue;
    const value = isPathList ? expandGlobs(field.value, { files: host.files, paths }) : success(field.value);
    if (!value.ok) {
      issues.push(...value.issues);
      continue;
    }
    for (const entry of entries) {
      const isAppended = entry === distributed;
      const text = isAppended ? joined(settings.get(entry.key)?.value, value.value) : value.value;
      put(settings, entry.key, text, field.origin);
    }
  }
  return issues;
}

const uriLists = [
  ...[app.jars, app.files, app.archives, app.submitPyFiles],
  ...[app.yarnDistFiles, app.yarnDistArchives, app.yarnDistJars],
];

/** Returns the settings that a field becomes; YARN distributes some lists itself. */
function entriesOf(name: FieldName, manager: ClusterManager): readonly ConfEntry<unknown>[] {
  const { entry, distributed, managers = [manager], modes = ["cluster"] } = submitField(name);
  const isSetting = entry !== undefined && managers.includes(manager) && modes.includes("cluster");
  return [...(isSetting ? [entry] : []), ...(manager === "yarn" && distributed !== undefined ? [distributed] : [])];
}

function withOwnJar(jars: string | undefined, resource: string): string {
  return joined(jars, resource === internalResource ? "" : resource);
}

/** Joins two lists, without blank items. Source: Spark SparkSubmit.mergeFileLists. */
function joined(first: string | undefined, second: string): string {
  const items = [...(first ?? "").split(","), ...second.split(",")].map((item) => item.trim());
  return items.filter((item) => item !== "").join(",");
}

/** Checks that the keytab exists on this machine. One in the image is not checked, and a standalone cluster uses none. */
function keytabIssues({ fields, host, manager }: PrepareSettingsInput): readonly Issue[] {
  if (manager === "standalone") return [];
  const path = fields.get("keytab")?.value;
  if (!fields.has("principal") || path === undefined || path.startsWith("local:")) return [];
  return host.files.info(path) === undefined
    ? [issue("SUBMIT_ERR_KEYTAB_MISSING", { path, nearest: nearestFile(host, path) })]
    : [];
}
