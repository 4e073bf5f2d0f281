import { redactionRegex } from "../../conf/entries/app.ts";
import type { Setting } from "../../conf/setting.ts";
import type { SparkLineTraits } from "../../conf/spark-version.ts";
import type { GivenSettings } from "../../plan/invocation.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { internalResource } from "../../values/dependency-uri.ts";
import { parseRedactionRule, type RedactionRule, redact, redactedText } from "../../values/redaction.ts";
import type { FieldValues } from "./merge-fields.ts";
import type { ReadSettings } from "./read-settings.ts";

/** What `--verbose` shows before anything is prepared. */
export interface Understood {
  readonly invocation: GivenSettings & { readonly appArgs?: readonly string[] };
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  /** The primary resource as a URI; `undefined` where nothing is submitted. */
  readonly resource: string | undefined;
  readonly traits: SparkLineTraits;
}

/** Hides secrets by the rule that the settings themselves hold; where we cannot follow that, everything is hidden. */
function redactionOf(settings: ReadonlyMap<string, Setting>): (key: string, value: string) => string {
  const rule = parseRedactionRule(settings.get(redactionRegex.key)?.value ?? redactionRegex.defaultText);
  return (key, value) => hide(rule, key, value);
}

function hide(rule: RedactionRule | undefined, key: string, value: string): string {
  return rule === undefined ? redactedText : redact(rule, key, value);
}

/** The lines about the files that were read. */
export function printFiles({
  read,
  invocation,
  traits,
}: Pick<Understood, "read" | "invocation" | "traits">): string {
  const hidden = redactionOf(read.settings);
  const isNothing = invocation.propertiesFile === undefined && read.defaultsFile === undefined;
  return lines([
    ...(traits.verboseShowsDefaultsFile && isNothing ? ["Using properties file: null"] : []),
    ...read.files.flatMap(({ path, entries }) => [
      `Using properties file: ${path}`,
      ...[...entries].map(([key, value]) => `Adding default property: ${key}=${hidden(key, value)}`),
    ]),
  ]);
}

/** The blocks `Parsed arguments` and `Spark properties used`. Source: Spark SparkSubmitArguments.toString. */
export function printUnderstood(understood: Understood): string {
  const { read, traits } = understood;
  const hidden = redactionOf(read.settings);
  const file = propertiesFileOf(understood);
  return lines([
    "Parsed arguments:",
    ...parsedArguments(understood).map(([label, value]) => `  ${label.padEnd(23)} ${value}`),
    "",
    "Spark properties used, including those specified through",
    traits.extraPropertiesFile
      ? " --conf and those from the properties files:"
      : ` --conf and those from the properties file ${file}:`,
    ...pairs([...read.settings.values()], hidden).map((pair) => `  ${pair}`),
    "",
    "    ",
  ]);
}

function parsedArguments(understood: Understood): readonly (readonly [string, string])[] {
  const { invocation, fields, resource, traits } = understood;
  const told = (name: FieldName): readonly [string, string] => [name, fields.get(name)?.value ?? "null"];
  return [
    ["master", fields.get("master")?.value ?? "local[*]"],
    ...(["remote", "deployMode", "executorMemory", "executorCores", "totalExecutorCores"] as const).map(told),
    ["propertiesFile", propertiesFileOf(understood)],
    ...(traits.extraPropertiesFile
      ? [["extraPropertiesFiles", `[${invocation.extraPropertiesFiles.join(", ")}]`] as const]
      : []),
    ...(["driverMemory", "driverCores", "driverExtraClassPath", "driverExtraLibraryPath"] as const).map(told),
    told("driverExtraJavaOptions"),
    ["supervise", String(invocation.supervise)],
    ...(["queue", "numExecutors", "files", "pyFiles", "archives", "mainClass"] as const).map(told),
    ["primaryResource", resource ?? "null"],
    told("name"),
    ["childArgs", `[${(invocation.appArgs ?? []).join(" ")}]`],
    ...(["jars", "packages", "packagesExclusions", "repositories"] as const).map(told),
    ["verbose", String(invocation.verbose)],
  ];
}

function propertiesFileOf({ invocation, read, traits }: Understood): string {
  const defaults = traits.verboseShowsDefaultsFile ? read.defaultsFile : undefined;
  return invocation.propertiesFile ?? defaults ?? "null";
}

/** What Apache's front end would start next, with which arguments and settings. Source: Spark SparkSubmit.runMain. */
export function printPrepared({ appResource, mainClass, appArgs, proxyUser, conf }: SubmitRequest): string {
  const settings = conf.settings();
  const hidden = redactionOf(new Map(settings.map((setting) => [setting.key, setting])));
  const { kind, uri } = appResource;
  const flags = {
    java: "--primary-java-resource",
    python: "--primary-py-file",
    r: "--primary-r-file",
  } as const;
  return lines([
    "Main class:",
    "org.apache.spark.deploy.k8s.submit.KubernetesClientApplication",
    "Arguments:",
    ...(uri === internalResource ? [] : [flags[kind], uri]),
    "--main-class",
    mainClass,
    ...appArgs.flatMap((argument) => ["--arg", argument]),
    ...(proxyUser === undefined ? [] : ["--proxy-user", proxyUser]),
    "Spark config:",
    ...pairs(settings, hidden),
    "Classpath elements:",
    "",
    "",
    "",
  ]);
}

function pairs(
  settings: readonly Setting[],
  hidden: (key: string, value: string) => string,
): readonly string[] {
  const sorted = [...settings].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.map(({ key, value }) => `(${key},${hidden(key, value)})`);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
