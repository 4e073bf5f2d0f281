import { fieldKeys, optionKeys } from "../conf/entries/spark-application.ts";
import type { Role } from "../conf/entry.ts";
import type { Setting } from "../conf/setting.ts";
import { orThrow, submitError, throwIssues } from "../errors/submit-error.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { parseTemplate } from "../resolve/parse-template.ts";
import { readSettings } from "../resolve/read-settings.ts";
import { imageVersion } from "../resolve/version-settings.ts";
import { type Convertible, toConvertible } from "../spark-application/convert/convertible.ts";
import { isOwnFormat, readOwnApplication, translateOwn } from "../spark-application/own/translate-own.ts";
import { isApplication, readApplication } from "../spark-application/read/read-application.ts";
import type { LifetimeFields } from "../spark-application/state/status.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";
import { type LoadOptions, loadApplication } from "./load-application.ts";

/** A submission to convert, and sentences about what the conversion loses. */
export interface ConvertInput {
  readonly convertible: Convertible;
  readonly notes: readonly string[];
  /** Version of Spark that the source names. */
  readonly sparkVersion: string | undefined;
}

/**
 * Prepares a command line for conversion, with the settings of its files.
 *
 * @throws SUBMIT_ERR_PROPERTIES_FILE, SUBMIT_ERR_TEMPLATE_UNUSABLE, and similar errors
 */
export async function convertCommandLine(host: Host, invocation: SubmitInvocation): Promise<ConvertInput> {
  const read = readSettings(host, invocation);
  throwIssues(read.issues);
  const { fields, resource, appArgs } = invocation;
  const values = new Map([...read.settings].map(([key, { value }]) => [key, value]));
  const templates = await readTemplates(host, values);
  const settings = [...read.settings.values()];
  return {
    convertible: toConvertible({ fields, settings, resource, appArgs, templates }),
    notes: read.defaultsFile === undefined ? [] : [`The settings of ${read.defaultsFile} are included.`],
    sparkVersion: fields.sparkVersion ?? values.get(optionKeys.sparkVersion) ?? imageVersion(read.settings)?.text,
  };
}

async function readTemplates(host: Host, settings: ReadonlyMap<string, string>) {
  return {
    driver: await readTemplate(host, settings, "driver"),
    executor: await readTemplate(host, settings, "executor"),
  };
}

async function readTemplate(host: Host, settings: ReadonlyMap<string, string>, role: Role): Promise<unknown> {
  const path = settings.get(fieldKeys[role].template);
  if (path === undefined) return undefined;
  const uri = parseDependencyUri(path);
  if (uri.kind !== "submitterLocal") throw unusable(path, "only files of this machine can be converted");
  const text = host.files.readText(absolutePath(host, uri.path));
  if (text === undefined) throw unusable(path, "No such file or directory");
  return parseTemplate(text, { templateMergeKeys: "merged" });
}

function unusable(path: string, reason: string) {
  return submitError("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason });
}

/** Options of reading an application to convert. */
interface DocumentOptions extends LoadOptions {
  /** Returns the settings of a profile, over which the file takes precedence. */
  readonly readProfile: (name: string) => Promise<readonly Setting[]>;
}

/** Prepares a document of a file for conversion. @throws SUBMIT_ERR_MANIFEST_…, SUBMIT_ERR_TEMPLATE_UNUSABLE */
export async function convertDocument(
  host: Host,
  { file, document }: { readonly file: string; readonly document: unknown },
  { readProfile, ...options }: DocumentOptions,
): Promise<ConvertInput> {
  if (isOwnFormat(document)) {
    const own = orThrow(readOwnApplication(file, document));
    const lifetime = lifetimeOf(own);
    const translation = translateOwn(file, own);
    const profile = own.profile === undefined ? [] : await readProfile(own.profile);
    const settings = new Map([...profile, ...translation.settings].map((setting) => [setting.key, setting]));
    const templates = await readTemplates(host, new Map([...settings].map(([key, { value }]) => [key, value])));
    const convertible = toConvertible({ ...translation, settings: [...settings.values()], templates, lifetime });
    const notes = own.profile === undefined ? [] : [`The settings of the profile ${own.profile} are included.`];
    return { convertible, notes, sparkVersion: own.sparkVersion ?? imageVersion(settings)?.text };
  }
  const resource = orThrow(readApplication(file, document));
  const isSchedule = !isApplication(resource);
  const application = isSchedule
    ? {
        ...{ apiVersion: resource.apiVersion, kind: "SparkApplication" as const, metadata: resource.metadata },
        spec: resource.spec.template,
      }
    : resource;
  const { input, translation, tolerated } = loadApplication(file, application, { ...options, driver: "template" });
  const templates = { driver: parsed(translation.templates.driver), executor: parsed(translation.templates.executor) };
  const { fields, settings, appArgs } = translation;
  const parts = { fields, settings, appArgs, resource: translation.resource, templates };
  const objects = translation.objects("").map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return {
    convertible: toConvertible({ ...parts, lifetime: lifetimeOf(application.spec) }),
    notes: [
      ...(isSchedule ? [`The schedule ${resource.spec.schedule} is left out: only the application is converted.`] : []),
      ...(objects.length === 0 ? [] : [`The operator also creates ${objects.join(", ")}.`]),
      ...tolerated,
      ...translation.warnings,
    ],
    sparkVersion: input.spec.sparkVersion,
  };
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

function lifetimeOf({ restartPolicy, suspend, timeToLiveSeconds }: LifetimeFields): LifetimeFields {
  return {
    ...(restartPolicy && { restartPolicy }),
    ...(suspend !== undefined && { suspend }),
    ...(timeToLiveSeconds !== undefined && { timeToLiveSeconds }),
  };
}
