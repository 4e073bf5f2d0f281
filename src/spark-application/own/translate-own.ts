import { fieldKeys, ownKeys } from "../../conf/entries/spark-application.ts";
import type { Setting } from "../../conf/setting.ts";
import { type Issue, issue, type Result, unlessIssues } from "../../errors/issue.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import { nameIssues } from "../admission.ts";
import { schemaIssues } from "../read/read-application.ts";
import { withoutNulls } from "../schema/schema.ts";
import { FieldSettings } from "../translate/field-settings.ts";
import { type OwnApplication, ownSchema } from "./own-application.ts";

/** A submission that is equivalent to an application in the own format. */
export interface OwnTranslation {
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  readonly settings: readonly Setting[];
  readonly resource: string;
  readonly appArgs: readonly string[];
}

/**
 * Checks a document against the own format.
 *
 * Errors, all together: SUBMIT_ERR_MANIFEST_FIELD, SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN, SUBMIT_ERR_MANIFEST_RULE.
 */
export function readOwnApplication(file: string, document: unknown): Result<OwnApplication> {
  const value = withoutNulls(document);
  const issues = schemaIssues(file, value, ownSchema);
  if (!isOwn(value, issues)) return { ok: false, issues };
  return unlessIssues([...nameIssues(value.name, { file, path: "name" }), ...confIssues(file, value)], value);
}

function isOwn(value: unknown, issues: readonly Issue[]): value is OwnApplication {
  return typeof value === "object" && issues.length === 0;
}

/** Fields take precedence over settings, so a contradiction would be silent. */
function confIssues(file: string, { conf = {}, name, namespace, image }: OwnApplication): readonly Issue[] {
  const own = [
    [fieldKeys.namespace, "namespace", namespace],
    [fieldKeys.image, "image", image],
    [ownKeys.appName, "name", name],
  ] as const;
  return own.flatMap(([key, field, value]) => {
    const setting = conf[key];
    if (setting === undefined || value === undefined || setting === value) return [];
    const problem = `is "${String(setting)}", but ${field} is "${value}"`;
    const advice = `Remove conf.${key}.`;
    return [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path: `conf.${key}`, problem, advice })];
  });
}

/** Translates an application in the own format to the options and settings of a submission. */
export function translateOwn(file: string, application: OwnApplication): OwnTranslation {
  const { name, python = {}, conf = {} } = application;
  const settings = new FieldSettings(file);
  settings.put(fieldKeys.podName, `${name}-driver`, "name");
  settings.set(fieldKeys.waitAppCompletion, false, "name");
  for (const [key, value] of Object.entries(conf)) settings.put(key, String(value), `conf.${key}`);
  settings.set(fieldKeys.namespace, application.namespace, "namespace");
  settings.set(fieldKeys.image, application.image, "image");
  settings.set(ownKeys.python, python.executable, "python.executable");
  const values: Readonly<Partial<Record<FieldName, string | undefined>>> = {
    deployMode: "cluster",
    name,
    master: application.master,
    mainClass: application.class,
    proxyUser: application.proxyUser,
    sparkVersion: application.sparkVersion,
    jars: joined(application.jars),
    files: joined(application.files),
    archives: joined(application.archives),
    pythonEnv: python.environment,
    pyFiles: joined(application.pyFiles),
    packages: joined(application.packages),
    packagesExclusions: joined(application.excludePackages),
    repositories: joined(application.repositories),
  };
  return {
    fields: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== "")),
    settings: settings.list(),
    resource: application.app,
    appArgs: (application.args ?? []).map(String),
  };
}

function joined(list: readonly string[] = []): string {
  return list.join(",");
}

/** Whether a document can only be in the own format: it names neither an API version nor a kind. */
export function isOwnFormat(document: unknown): boolean {
  return typeof document === "object" && document !== null && !("apiVersion" in document) && !("kind" in document);
}
