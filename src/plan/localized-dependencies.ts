import { archives, jarsAvoidDownloadSchemes } from "../conf/entries/app.ts";
import { driverExtraClassPath, excludedFeatureSteps } from "../conf/entries/driver.ts";
import { executorExtraClassPath } from "../conf/entries/executor.ts";
import {
  stagingDirectory,
  stagingMode,
  stagingTransport,
  type Transport,
} from "../conf/entries/localizing.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { type Issue, issue, issuesOf } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import { entryDirectories, workDirectory } from "../values/staged-entry.ts";
import { escapeFragment } from "../values/uri.ts";
import { dependencyLists } from "./dependencies.ts";
import type { Facts } from "./facts.ts";
import { excludedSteps, stepNames } from "./feature-steps.ts";
import { localDependencies } from "./local-dependencies.ts";
import { assignEntryNames, type FoundDependency, type NamedDependency } from "./localized-entries.ts";
import type { LogLine } from "./log-line.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { chooseTransport, transportRules } from "./transports/choose-transport.ts";
import type { LocalizedEntry } from "./transports/localized-entry.ts";
import type { TransportInput } from "./transports/transport-rule.ts";
import { absentIssues, mayBeInImage, type PlannedUploads } from "./uploads.ts";

/** Files of this machine that the driver finds in one folder, and how they get there. */
export interface LocalizedDependencies {
  readonly transport: Transport;
  /** Absolute path in the driver's container, e.g. `/opt/spark-deps`. */
  readonly directory: string;
  readonly entries: readonly LocalizedEntry[];
  readonly mode: LocalizingMode;
  /** What happens, and why so. */
  readonly log: LogLine;
}

/** Who has the folder, and how jars in it are named; as `spark.firesteel.staging.mode`. */
type LocalizingMode = typeof stagingMode.absent;

/** What the driver is told of its files, the same whatever carries them. */
export interface PlannedLocalizing extends PlannedUploads {
  readonly localized: LocalizedDependencies | undefined;
}

const localizingEntries = [
  stagingTransport,
  stagingDirectory,
  stagingMode,
  ...Object.values(transportRules).flatMap(({ entries }) => entries),
];

/** Decides what each local dependency is called in the pods, and what carries it there. */
export function planLocalizing(request: SubmitRequest, facts: Facts): PlannedLocalizing {
  const { conf, appResource } = request;
  const result = assignEntryNames(foundDependencies(request, facts));
  const placed = result.ok ? result.value : [];
  const application = placed.find(({ dependency }) => dependency.key === undefined);
  const directory = folderOf(conf);
  const properties = dependencyLists.flatMap(({ key }) =>
    placed.some(({ dependency }) => dependency.key === key)
      ? [[key, rewrittenList(request, key, placed)] as const]
      : [],
  );
  const hasJars = placed.some(({ entry }) => entry.kind === "jar");
  return {
    uploads: [],
    properties: {
      ...Object.fromEntries(properties),
      ...(hasJars ? jarSettings(conf, directory) : {}),
    } satisfies StringMap,
    appResource: application === undefined ? appResource.uri : uriOf(application, conf),
    localized: localized(request, placed, directory),
  };
}

/** Why local dependencies cannot be in a folder of the driver. */
export function localizingIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  const { conf } = request;
  const typed = conf.check([...dependencyLists, ...localizingEntries]);
  if (typed.length > 0) return typed;
  const placed = assignEntryNames(foundDependencies(request, facts));
  const own = [
    ...absentIssues(request, facts),
    ...folderIssues(request, facts),
    ...directoryIssues(conf),
    ...issuesOf(placed),
  ];
  if (own.length > 0 || !placed.ok || placed.value.length === 0) return own;
  return [
    ...issuesOf(chooseTransport(transportInput(conf, placed.value))),
    ...modeIssues(conf, placed.value),
  ];
}

/** Why executors would not have what the mode promises. */
function modeIssues(conf: SparkConf, placed: readonly NamedDependency[]): readonly Issue[] {
  return [...jarIssues(conf, placed), ...templateIssues(conf)];
}

/** What brings files to executors is in their pod template, which a step of Spark carries to the driver. */
function templateIssues(conf: SparkConf): readonly Issue[] {
  const mode = modeOf(conf);
  const { podTemplate } = stepNames;
  if (mode === "driverServed" || !excludedSteps(conf).has(podTemplate)) return [];
  const { key } = excludedFeatureSteps.driver;
  const reason = `${key} leaves out ${podTemplate}, without which no executor gets the files`;
  const remedy = `take ${podTemplate} out of ${key}`;
  return [issue("SUBMIT_ERR_STAGING_MODE", { key: stagingMode.key, mode, reason, remedy })];
}

function jarIssues(conf: SparkConf, placed: readonly NamedDependency[]): readonly Issue[] {
  const mode = modeOf(conf);
  const hasJars = placed.some(({ entry }) => entry.kind === "jar");
  if (mode !== "everywhere" || !hasJars || traitsOf(conf.version.line).leavesJarsInPlace) return [];
  const reason = `a driver of Spark ${conf.version.text} copies all jars and has executors fetch the copies`;
  const remedy = "set it to classPathOnly";
  return [issue("SUBMIT_ERR_STAGING_MODE", { key: stagingMode.key, mode, reason, remedy })];
}

function foundDependencies(request: SubmitRequest, facts: Facts): readonly FoundDependency[] {
  return localDependencies(request).flatMap((dependency, index) => {
    const { content, sizeBytes } = facts.dependencies[index] ?? {};
    return content === undefined || sizeBytes === undefined ? [] : [{ dependency, content, sizeBytes }];
  });
}

function localized(
  { conf }: SubmitRequest,
  placed: readonly NamedDependency[],
  directory: string,
): LocalizedDependencies | undefined {
  const cargo = transportInput(conf, placed);
  const { entries, files } = cargo;
  if (entries.length === 0 || conf.check(localizingEntries).length > 0) return undefined;
  const chosen = chooseTransport(cargo);
  if (!chosen.ok) return undefined;
  const { transport, reason } = chosen.value;
  const { way } = transportRules[transport];
  const mode = modeOf(conf);
  const who = mode === "driverServed" ? "it finds" : "it and its executors find";
  const text = `The files of this machine go to the driver ${way}; ${who} them in ${directory} (${reason}): ${files}`;
  return { transport, directory, entries, mode, log: { level: "INFO", logger: "Staging", text } };
}

function transportInput(conf: SparkConf, placed: readonly NamedDependency[]): TransportInput {
  return {
    conf,
    entries: [...new Map(placed.map(({ entry }) => [`${entry.kind}/${entry.name}`, entry])).values()],
    files: [...new Set(placed.map(({ dependency }) => dependency.path))].join(", "),
  };
}

/** In its own order, which is that of a class path. */
function rewrittenList({ conf }: SubmitRequest, key: string, placed: readonly NamedDependency[]): string {
  const list = dependencyLists.find((entry) => entry.key === key);
  const uris = (list === undefined ? [] : conf.get(list)).flatMap(({ text }) => {
    const own = placed.find(({ dependency }) => dependency.key === key && dependency.uri === text);
    if (own === undefined) return [text];
    return own.entry.kind === "jar" && modeOf(conf) === "classPathOnly" ? [] : [uriOf(own, conf)];
  });
  return [...new Set(uris)].join(",");
}

/** Executors look for `local:` on their own disks, and fetch `file:` from the driver. */
function uriOf({ dependency, entry, fragment }: NamedDependency, conf: SparkConf): string {
  const isEverywhere = entry.kind === "jar" && modeOf(conf) !== "driverServed";
  const uri = `${isEverywhere ? "local" : "file"}://${folderOf(conf)}/${entryDirectories[entry.kind]}/${entry.name}`;
  return dependency.key === archives.key && fragment !== undefined
    ? `${uri}#${escapeFragment(fragment)}`
    : uri;
}

/** What has jars found where they are: the driver would copy them, and executors fetch the copies. */
function jarSettings(conf: SparkConf, directory: string): StringMap {
  switch (modeOf(conf)) {
    case "driverServed":
      return {};
    case "everywhere": {
      const given = conf.get(jarsAvoidDownloadSchemes);
      return { [jarsAvoidDownloadSchemes.key]: [...new Set([...given, "local"])].join(",") };
    }
    case "classPathOnly":
      return withJarFolder(conf, directory);
  }
}

/** The folder of the jars after what the user puts there. */
function withJarFolder(conf: SparkConf, directory: string): StringMap {
  const folder = `${directory}/${entryDirectories.jar}/*`;
  const entries = [driverExtraClassPath, executorExtraClassPath].map((entry) => {
    const given = conf.get(entry) ?? "";
    return [entry.key, given === "" ? folder : `${given}:${folder}`] as const;
  });
  return Object.fromEntries(entries);
}

function modeOf(conf: SparkConf): LocalizingMode {
  const mode = conf.read(stagingMode);
  return mode.ok ? mode.value : stagingMode.absent;
}

function folderIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  return localDependencies(request).flatMap(({ path, key }, index) => {
    const seen = facts.dependencies[index];
    const isFolder = seen?.sizeBytes !== undefined && seen.content === undefined;
    return isFolder && !mayBeInImage(request, key) ? [issue("SUBMIT_ERR_STAGING_NOT_A_FILE", { path })] : [];
  });
}

/** Spark deletes what lies in the working directory under the name of what it copies there; and its own folders must stay seen. */
function directoryIssues(conf: SparkConf): readonly Issue[] {
  const { key } = stagingDirectory;
  const directory = folderOf(conf);
  const isWithin = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`.replace("//", "/"));
  const isTaken = isWithin(directory, workDirectory) || isWithin(sparkHome, directory);
  return isTaken ? [issue("SUBMIT_ERR_STAGING_DIRECTORY", { key, directory, workDirectory, sparkHome })] : [];
}

const sparkHome = "/opt/spark";

/** Without empty segments and dots. */
function folderOf(conf: SparkConf): string {
  const directory = conf.read(stagingDirectory);
  const text = directory.ok ? directory.value : stagingDirectory.absent;
  return `/${text
    .split("/")
    .filter((segment) => !["", "."].includes(segment))
    .join("/")}`;
}
