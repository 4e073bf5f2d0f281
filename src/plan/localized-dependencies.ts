import { archives, jarsAvoidDownloadSchemes } from "../conf/entries/app.ts";
import { driverExtraClassPath, excludedFeatureSteps } from "../conf/entries/driver.ts";
import { executorExtraClassPath } from "../conf/entries/executor.ts";
import { stagingDirectory, stagingMode, stagingTransport, type Transport } from "../conf/entries/localizing.ts";
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

/** Files of the submitter's machine that a transport brings into one directory of the driver. */
export interface LocalizedDependencies {
  readonly transport: Transport;
  /** Absolute path in the driver's container, e.g. `/opt/spark-deps`. */
  readonly directory: string;
  readonly entries: readonly LocalizedEntry[];
  readonly mode: LocalizingMode;
  /** Announces the transport and the reason for it. */
  readonly log: LogLine;
}

/** Value of `spark.firesteel.staging.mode`: which pods have the directory, and how settings name its jars. */
type LocalizingMode = typeof stagingMode.absent;

/** Files of a submission as uploads or in a directory of the driver. */
export interface PlannedLocalizing extends PlannedUploads {
  readonly localized: LocalizedDependencies | undefined;
}

const localizingEntries = [
  stagingTransport,
  stagingDirectory,
  stagingMode,
  ...Object.values(transportRules).flatMap(({ entries }) => entries),
];

/** Plans the name of each local dependency in the pods, and the transport of the files. */
export function planLocalizing(request: SubmitRequest, facts: Facts): PlannedLocalizing {
  const { conf, appResource } = request;
  const result = assignEntryNames(foundDependencies(request, facts));
  const placed = result.ok ? result.value : [];
  const application = placed.find(({ dependency }) => dependency.key === undefined);
  const directory = directoryOf(conf);
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

/** Reports why local dependencies cannot be in a directory of the driver. */
export function localizingIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  const { conf } = request;
  const typed = conf.check([...dependencyLists, ...localizingEntries]);
  const placed = assignEntryNames(foundDependencies(request, facts));
  const own = [
    ...typed,
    ...absentIssues(request, facts),
    ...directoryDependencyIssues(request, facts),
    ...(typed.length > 0 ? [] : targetIssues(conf)),
    ...issuesOf(placed),
  ];
  if (own.length > 0 || !placed.ok || placed.value.length === 0) return own;
  return [...issuesOf(chooseTransport(transportInput(conf, placed.value))), ...modeIssues(conf, placed.value)];
}

/** Reports why executors would lack files that the mode promises. */
function modeIssues(conf: SparkConf, placed: readonly NamedDependency[]): readonly Issue[] {
  return [...jarIssues(conf, placed), ...templateIssues(conf)];
}

/** Checks the step that passes the executors' pod template to the driver: the template contains the init container for the files. */
function templateIssues(conf: SparkConf): readonly Issue[] {
  const mode = modeOf(conf);
  const { podTemplate } = stepNames;
  if (mode === "driverServed" || !excludedSteps(conf).has(podTemplate)) return [];
  const { key } = excludedFeatureSteps.driver;
  const reason = `${key} excludes ${podTemplate}, without which no executor gets the files`;
  const remedy = `remove ${podTemplate} from ${key}`;
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
  const input = transportInput(conf, placed);
  const { entries, files } = input;
  if (entries.length === 0 || conf.check(localizingEntries).length > 0) return undefined;
  const chosen = chooseTransport(input);
  if (!chosen.ok) return undefined;
  const { transport, reason } = chosen.value;
  const { description } = transportRules[transport];
  const mode = modeOf(conf);
  const readers = mode === "driverServed" ? "it finds" : "it and its executors find";
  const text = `The files of this machine go to the driver ${description}; ${readers} them in ${directory} (${reason}): ${files}`;
  return { transport, directory, entries, mode, log: { level: "INFO", logger: "Staging", text } };
}

function transportInput(conf: SparkConf, placed: readonly NamedDependency[]): TransportInput {
  return {
    conf,
    entries: [...new Map(placed.map(({ entry }) => [`${entry.kind}/${entry.name}`, entry])).values()],
    files: [...new Set(placed.map(({ dependency }) => dependency.path))].join(", "),
  };
}

/** Replaces the URIs of a list in their order, because the order of jars is that of the class path. */
function rewrittenList({ conf }: SubmitRequest, key: string, placed: readonly NamedDependency[]): string {
  const list = dependencyLists.find((entry) => entry.key === key);
  const uris = (list === undefined ? [] : conf.get(list)).flatMap(({ text }) => {
    const own = placed.find(({ dependency }) => dependency.key === key && dependency.uri === text);
    if (own === undefined) return [text];
    return own.entry.kind === "jar" && modeOf(conf) === "classPathOnly" ? [] : [uriOf(own, conf)];
  });
  return [...new Set(uris)].join(",");
}

/** Builds the URI of a dependency in the pods. Executors read `local:` from their own disk, and fetch `file:` from the driver. */
function uriOf({ dependency, entry, fragment }: NamedDependency, conf: SparkConf): string {
  const isEverywhere = entry.kind === "jar" && modeOf(conf) !== "driverServed";
  const uri = `${isEverywhere ? "local" : "file"}://${directoryOf(conf)}/${entryDirectories[entry.kind]}/${entry.name}`;
  return dependency.key === archives.key && fragment !== undefined ? `${uri}#${escapeFragment(fragment)}` : uri;
}

/** Builds settings that make pods read jars from the directory. Otherwise the driver copies them, and executors fetch the copies. */
function jarSettings(conf: SparkConf, directory: string): StringMap {
  switch (modeOf(conf)) {
    case "driverServed":
      return {};
    case "everywhere": {
      const schemes = conf.get(jarsAvoidDownloadSchemes);
      return { [jarsAvoidDownloadSchemes.key]: [...new Set([...schemes, "local"])].join(",") };
    }
    case "classPathOnly":
      return jarClassPaths(conf, directory);
  }
}

/** Appends the directory of the jars to the user's class paths. */
function jarClassPaths(conf: SparkConf, directory: string): StringMap {
  const jars = `${directory}/${entryDirectories.jar}/*`;
  const entries = [driverExtraClassPath, executorExtraClassPath].map((entry) => {
    const classPath = conf.get(entry) ?? "";
    return [entry.key, classPath === "" ? jars : `${classPath}:${jars}`] as const;
  });
  return Object.fromEntries(entries);
}

function modeOf(conf: SparkConf): LocalizingMode {
  const mode = conf.read(stagingMode);
  return mode.ok ? mode.value : stagingMode.absent;
}

function directoryDependencyIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  return localDependencies(request).flatMap(({ path, key }, index) => {
    const seen = facts.dependencies[index];
    const isDirectory = seen?.sizeBytes !== undefined && seen.content === undefined;
    return isDirectory && !mayBeInImage(request, key) ? [issue("SUBMIT_ERR_STAGING_NOT_A_FILE", { path })] : [];
  });
}

/** Rejects the working directory, where Spark replaces files, and directories that would hide Spark's own files. */
function targetIssues(conf: SparkConf): readonly Issue[] {
  const { key } = stagingDirectory;
  const directory = directoryOf(conf);
  const isWithin = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`.replace("//", "/"));
  const isTaken = isWithin(directory, workDirectory) || isWithin(sparkHome, directory);
  return isTaken ? [issue("SUBMIT_ERR_STAGING_DIRECTORY", { key, directory, workDirectory, sparkHome })] : [];
}

const sparkHome = "/opt/spark";

/** Normalizes the configured directory: removes empty and `.` segments. */
function directoryOf(conf: SparkConf): string {
  const directory = conf.read(stagingDirectory);
  const text = directory.ok ? directory.value : stagingDirectory.absent;
  return `/${text
    .split("/")
    .filter((segment) => !["", "."].includes(segment))
    .join("/")}`;
}
