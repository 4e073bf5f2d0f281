import type { Behaviors } from "../conf/behaviors.ts";
import { redactionRegex } from "../conf/entries/app.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { SparkLineTraits } from "../conf/spark-version.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import type { FieldName } from "../plan/submit-fields.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { internalResource } from "../values/dependency-uri.ts";
import { parseRedactionRule, redact, redactedText, withoutPasswords } from "../values/redaction.ts";
import type { FieldValues } from "./merge-fields.ts";
import type { ReadSettings } from "./read-settings.ts";

/** What `--verbose` shows before anything is prepared. */
export interface VerboseInput {
  readonly invocation: CommandLineSettings & { readonly appArgs?: readonly string[] };
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  /** The primary resource as a URI; `undefined` where nothing is submitted. */
  readonly resource: string | undefined;
  readonly traits: SparkLineTraits;
  readonly behaviors: Pick<Behaviors, "redaction">;
}

/** What may be shown. */
interface Redaction {
  readonly ofSetting: (key: string, value: string) => string;
  /** Of an argument, or the value of an option; Spark hides nothing there. */
  readonly ofText: (text: string) => string;
}

/** Hides secrets by the rule that the settings themselves hold; where we cannot follow that, all settings are hidden. */
function redactionOf(
  settings: ReadonlyMap<string, Setting>,
  { redaction }: Pick<Behaviors, "redaction">,
): Redaction {
  const rule = parseRedactionRule(settings.get(redactionRegex.key)?.value ?? redactionRegex.defaultText);
  const ofSetting = (key: string, value: string) =>
    rule === undefined ? redactedText : redact(rule, key, value);
  if (redaction === "spark") return { ofSetting, ofText: (text) => text };
  return {
    ofSetting: (key, value) => withoutPasswords(ofSetting(key, value)),
    ofText: (text) => withoutPasswords(rule === undefined ? text : redact(rule, "", text)),
  };
}

/** The lines about the files that were read. */
export function printFiles({
  read,
  invocation,
  traits,
  behaviors,
}: Pick<VerboseInput, "read" | "invocation" | "traits" | "behaviors">): string {
  const { ofSetting } = redactionOf(read.settings, behaviors);
  const isNothing = invocation.propertiesFile === undefined && read.defaultsFile === undefined;
  return lines([
    ...(traits.verboseShowsDefaultsFile && isNothing ? ["Using properties file: null"] : []),
    ...read.files.flatMap(({ path, entries }) => [
      `Using properties file: ${path}`,
      ...[...entries].map(([key, value]) => `Adding default property: ${key}=${ofSetting(key, value)}`),
    ]),
  ]);
}

/** The blocks `Parsed arguments` and `Spark properties used`. Source: Spark SparkSubmitArguments.toString. */
export function printParsedArguments(understood: VerboseInput): string {
  const { read, traits, behaviors } = understood;
  const redaction = redactionOf(read.settings, behaviors);
  const file = propertiesFileOf(understood);
  return lines([
    "Parsed arguments:",
    ...parsedArguments(understood, redaction).map(([label, value]) => `  ${label.padEnd(23)} ${value}`),
    "",
    "Spark properties used, including those specified through",
    traits.extraPropertiesFile
      ? " --conf and those from the properties files:"
      : ` --conf and those from the properties file ${file}:`,
    ...pairs([...read.settings.values()], redaction).map((pair) => `  ${pair}`),
    "",
    "    ",
  ]);
}

function parsedArguments(
  understood: VerboseInput,
  { ofText }: Redaction,
): readonly (readonly [string, string])[] {
  const { invocation, fields, resource, traits } = understood;
  const told = (name: FieldName): readonly [string, string] => [
    name,
    ofText(fields.get(name)?.value ?? "null"),
  ];
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
    ["primaryResource", ofText(resource ?? "null")],
    told("name"),
    ["childArgs", `[${(invocation.appArgs ?? []).map(ofText).join(" ")}]`],
    ...(["jars", "packages", "packagesExclusions", "repositories"] as const).map(told),
    ["verbose", String(invocation.verbose)],
  ];
}

function propertiesFileOf({ invocation, read, traits }: VerboseInput): string {
  const defaults = traits.verboseShowsDefaultsFile ? read.defaultsFile : undefined;
  return invocation.propertiesFile ?? defaults ?? "null";
}

/** What Apache's front end would start next: a class with its arguments, and the settings that it gets. */
export interface Started {
  readonly mainClass: string;
  /** `shown` as they stand: words of Spark's own. */
  readonly args: readonly (string | { readonly shown: string })[];
  readonly conf: SparkConf;
  readonly behaviors: Pick<Behaviors, "redaction">;
  /** @default none */
  readonly classPath?: readonly string[];
}

/** The last blocks. Source: Spark SparkSubmit.runMain. */
export function printStarted({ mainClass, args, conf, behaviors, classPath = [] }: Started): string {
  const settings = conf.settings();
  const redaction = redactionOf(new Map(settings.map((setting) => [setting.key, setting])), behaviors);
  return lines([
    "Main class:",
    mainClass,
    "Arguments:",
    ...args.map((word) => (typeof word === "string" ? redaction.ofText(word) : word.shown)),
    "Spark config:",
    ...pairs(settings, redaction),
    "Classpath elements:",
    ...classPath,
    "",
    "",
    "",
  ]);
}

/** The same of a submission to Kubernetes. */
export function printPrepared(request: SubmitRequest): string {
  const { appResource, mainClass, appArgs, proxyUser } = request;
  const { kind, uri } = appResource;
  const flags = {
    java: "--primary-java-resource",
    python: "--primary-py-file",
    r: "--primary-r-file",
  } as const;
  return printStarted({
    ...request,
    mainClass: "org.apache.spark.deploy.k8s.submit.KubernetesClientApplication",
    args: [
      ...(uri === internalResource ? [] : [flags[kind], uri]),
      ...["--main-class", { shown: mainClass }],
      ...appArgs.flatMap((argument) => ["--arg", argument]),
      ...(proxyUser === undefined ? [] : ["--proxy-user", { shown: proxyUser }]),
    ],
  });
}

function pairs(settings: readonly Setting[], { ofSetting }: Redaction): readonly string[] {
  const sorted = [...settings].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.map(({ key, value }) => `(${key},${ofSetting(key, value)})`);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
