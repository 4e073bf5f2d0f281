import * as app from "../conf/entries/app.ts";
import { driverHost } from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { Setting, SettingOrigin } from "../conf/setting.ts";
import { type Issue, issue, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import { languageOf } from "../plan/app-resource.ts";
import type { ClusterManager } from "../plan/cluster-manager.ts";
import { type FieldName, fieldNames, submitField } from "../plan/submit-fields.ts";
import { internalResource, type PathContext, resolveUris } from "../values/dependency-uri.ts";
import { expandGlobs } from "./expand-globs.ts";
import type { FieldValues } from "./merge-fields.ts";

/** What settings in the form of the driver's properties are made from. */
export interface PreparedFrom {
  readonly host: Host;
  readonly paths: PathContext;
  readonly fields: FieldValues;
  readonly settings: ReadonlyMap<string, Setting>;
  /** As the user wrote it; its end tells the language. */
  readonly givenResource: string;
  /** As a URI. */
  readonly resource: string;
  readonly manager: ClusterManager;
  /** E.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
}

/**
 * The settings that a driver in cluster mode starts from: fields become settings, lists of paths become
 * lists of URIs, the application's own jar joins them.
 *
 * Errors: those of `expandGlobs`, for all lists together.
 * Source: Spark SparkSubmit.prepareSubmitEnvironment, steps from the globs to the submit time.
 */
export function prepareSettings(from: PreparedFrom): Result<readonly Setting[]> {
  const issues: Issue[] = [...keytabIssues(from)];
  const settings = new Map(from.settings);
  const put = (key: string, value: string, origin: SettingOrigin) =>
    settings.set(key, { key, value, origin });
  for (const name of fieldNames()) {
    const field = from.fields.get(name);
    if (field === undefined) continue;
    const { isPathList, distributed } = submitField(name);
    const entries = settingsOf(name, from.manager);
    if (entries.length === 0) continue;
    const value = isPathList
      ? expandGlobs(field.value, { files: from.host.files, paths: from.paths })
      : success(field.value);
    if (!value.ok) issues.push(...value.issues);
    else
      for (const entry of entries) {
        const before = settings.get(entry.key)?.value;
        put(entry.key, entry === distributed ? joined(before, value.value) : value.value, field.origin);
      }
  }
  const origin = { kind: "client", why: "preparation" } as const;
  put(app.master.key, from.master, from.fields.get("master")?.origin ?? origin);
  if (languageOf(from.givenResource) === "java" && from.manager !== "yarn") {
    put(app.jars.key, withOwnJar(settings.get(app.jars.key)?.value, from.resource), origin);
  }
  for (const { key } of uriLists) {
    const setting = settings.get(key);
    if (setting !== undefined) put(key, resolveUris(setting.value, from.paths), setting.origin);
  }
  const missing = { [app.submitPyFiles.key]: "", [app.appSubmitTime.key]: String(from.host.clock.now()) };
  for (const [key, value] of Object.entries(missing)) if (!settings.has(key)) put(key, value, origin);
  settings.delete(driverHost.key);
  return unlessIssues(issues, [...settings.values()]);
}

const uriLists = [
  ...[app.jars, app.files, app.archives, app.submitPyFiles],
  ...[app.yarnDistFiles, app.yarnDistArchives, app.yarnDistJars],
];

/** What a field becomes; YARN distributes some lists itself. */
function settingsOf(name: FieldName, manager: ClusterManager): readonly ConfEntry<unknown>[] {
  const { entry, distributed, managers = [manager], modes = ["cluster"] } = submitField(name);
  const isSetting = entry !== undefined && managers.includes(manager) && modes.includes("cluster");
  return [
    ...(isSetting ? [entry] : []),
    ...(manager === "yarn" && distributed !== undefined ? [distributed] : []),
  ];
}

function withOwnJar(jars: string | undefined, resource: string): string {
  return joined(jars, resource === internalResource ? "" : resource);
}

/** Two lists as one, without what is blank. Source: Spark SparkSubmit.mergeFileLists. */
function joined(first: string | undefined, second: string): string {
  const items = [...(first ?? "").split(","), ...second.split(",")].map((item) => item.trim());
  return items.filter((item) => item !== "").join(",");
}

/** A keytab of the image is the driver's own business; a standalone cluster has no use for any. */
function keytabIssues({ fields, host, manager }: PreparedFrom): readonly Issue[] {
  if (manager === "standalone") return [];
  const path = fields.get("keytab")?.value;
  if (!fields.has("principal") || path === undefined || path.startsWith("local:")) return [];
  return host.files.info(path) === undefined ? [issue("SUBMIT_ERR_KEYTAB_MISSING", { path })] : [];
}
