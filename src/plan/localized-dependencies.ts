import { archives, jars, jarsAvoidDownloadSchemes } from "../conf/entries/app.ts";
import { driverExtraClassPath, excludedFeatureSteps } from "../conf/entries/driver.ts";
import { executorExtraClassPath } from "../conf/entries/executor.ts";
import {
  stagingDirectory,
  stagingInitImage,
  stagingMode,
  stagingRemoteFiles,
  stagingTransport,
  type Transport,
} from "../conf/entries/localizing.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { type Issue, issue, issuesOf } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import { internalResource } from "../values/dependency-uri.ts";
import { entryDirectories, workDirectory } from "../values/staged-entry.ts";
import { escapeFragment } from "../values/uri.ts";
import { dependencyLists } from "./dependencies.ts";
import type { Facts } from "./facts.ts";
import { excludedSteps, stepNames } from "./feature-steps.ts";
import { localDependencies } from "./local-dependencies.ts";
import {
  assignEntryNames,
  type FoundDependency,
  type NamedDependency,
  type PlacedDependency,
} from "./localized-entries.ts";
import type { LogLine } from "./log-line.ts";
import { assignRemoteNames, type RemoteFile } from "./remote-files.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { chooseTransport, transportRules } from "./transports/choose-transport.ts";
import type { LocalizedEntry } from "./transports/localized-entry.ts";
import type { TransportInput } from "./transports/transport-rule.ts";
import { absentIssues, mayBeInImage, type PlannedUploads } from "./uploads.ts";

/** Files of the submitter's machine, and remote ones, that are brought into one directory of the driver. */
export interface LocalizedDependencies {
  /** `remote`: there are only remote files. */
  readonly transport: Transport | "remote";
  /** Absolute path in the driver's container, e.g. `/opt/spark-deps`. */
  readonly directory: string;
  readonly entries: readonly LocalizedEntry[];
  /** Remote files that the init container fetches into the same directory. */
  readonly remote: readonly RemoteEntry[];
  readonly mode: LocalizingMode;
  /** Announces the transport and the reason for it. */
  readonly log: LogLine;
}

/** Remote file in the directory of localized files. */
export interface RemoteEntry extends Pick<LocalizedEntry, "kind" | "name"> {
  /** As in the settings, e.g. `s3a://bucket/app.jar`. */
  readonly uri: string;
  /** URI without user, password and query, which can be secrets. */
  readonly shown: string;
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
  stagingRemoteFiles,
  ...Object.values(transportRules).flatMap(({ entries }) => entries),
];

/** Plans the name of each local dependency in the pods, and the transport of the files. */
export function planLocalizing(request: SubmitRequest, facts: Facts): PlannedLocalizing {
  const { conf } = request;
  const result = assignEntryNames(foundDependencies(request, facts));
  const named = result.ok ? result.value : [];
  const found = assignRemoteNames(request, named);
  const remote = found.ok ? found.value : [];
  const placed = [...named, ...remote];
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
    appResource: application === undefined ? primaryResource(request, placed) : uriOf(application, conf),
    localized: localized(request, { named, remote }, directory),
  };
}

/** Reports why local dependencies cannot be in a directory of the driver. */
export function localizingIssues(request: SubmitRequest, facts: Facts): readonly Issue[] {
  const { conf } = request;
  const typed = conf.check([...dependencyLists, ...localizingEntries]);
  const named = assignEntryNames(foundDependencies(request, facts));
  const remote = assignRemoteNames(request, named.ok ? named.value : []);
  const own = [
    ...typed,
    ...absentIssues(request, facts),
    ...directoryDependencyIssues(request, facts),
    ...(typed.length > 0 ? [] : targetIssues(conf)),
    ...issuesOf(named),
    ...issuesOf(remote),
  ];
  if (own.length > 0 || !named.ok || !remote.ok) return own;
  const placed = [...named.value, ...remote.value];
  return placed.length === 0 ? own : [...transportIssues(conf, named.value, remote.value), ...modeIssues(conf, placed)];
}

function transportIssues(
  conf: SparkConf,
  named: readonly NamedDependency[],
  remote: readonly RemoteFile[],
): readonly Issue[] {
  if (named.length > 0) return issuesOf(chooseTransport(transportInput(conf, named, remote)));
  const files = remote.map(({ dependency }) => dependency.shown).join(", ");
  return conf.has(stagingInitImage)
    ? []
    : [issue("SUBMIT_ERR_STAGING_NO_INIT_IMAGE", { key: stagingInitImage.key, files })];
}

/** Returns the primary resource for a driver whose jars are localized: a Java application is one of them. */
function primaryResource({ appResource: { kind, uri } }: SubmitRequest, placed: readonly PlacedDependency[]): string {
  const isPlaced = placed.some(({ dependency }) => dependency.key === jars.key && dependency.uri === uri);
  return kind === "java" && isPlaced ? internalResource : uri;
}

/** Reports why executors would lack files that the mode promises. */
function modeIssues(conf: SparkConf, placed: readonly PlacedDependency[]): readonly Issue[] {
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

function jarIssues(conf: SparkConf, placed: readonly PlacedDependency[]): readonly Issue[] {
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
  {
    named,
    remote: remoteFiles,
  }: { readonly named: readonly NamedDependency[]; readonly remote: readonly RemoteFile[] },
  directory: string,
): LocalizedDependencies | undefined {
  if (named.length + remoteFiles.length === 0 || conf.check(localizingEntries).length > 0) return undefined;
  const mode = modeOf(conf);
  const remote = distinctEntries(
    remoteFiles.map(
      ({ dependency: { uri, shown }, entry: { kind, name } }): RemoteEntry => ({ kind, name, uri, shown }),
    ),
  );
  const fetched = `the init container fetches ${remoteFiles.map(({ dependency }) => dependency.shown).join(", ")}`;
  const logOf = (text: string) => ({ level: "INFO", logger: "Staging", text }) as const;
  if (named.length === 0) {
    const log = logOf(`For the driver, ${fetched} into ${directory}`);
    return { transport: "remote", directory, entries: [], remote, mode, log };
  }
  const input = transportInput(conf, named, remoteFiles);
  const chosen = chooseTransport(input);
  if (!chosen.ok) return undefined;
  const { transport, reason } = chosen.value;
  const { entries, files } = input;
  const readers = mode === "driverServed" ? "it finds" : "it and its executors find";
  const others = remote.length === 0 ? "" : `; ${fetched}`;
  const text = `The files of this machine go to the driver ${transportRules[transport].description}; ${readers} them in ${directory} (${reason}): ${files}${others}`;
  return { transport, directory, entries, remote, mode, log: logOf(text) };
}

function distinctEntries<T extends Pick<LocalizedEntry, "kind" | "name">>(entries: readonly T[]): readonly T[] {
  return [...new Map(entries.map((entry) => [`${entry.kind}/${entry.name}`, entry])).values()];
}

function transportInput(
  conf: SparkConf,
  placed: readonly NamedDependency[],
  remote: readonly RemoteFile[],
): TransportInput {
  return {
    conf,
    hasRemoteFiles: remote.length > 0,
    entries: distinctEntries(placed.map(({ entry }) => entry)),
    files: [...new Set(placed.map(({ dependency }) => dependency.path))].join(", "),
  };
}

/** Replaces the URIs of a list in their order, because the order of jars is that of the class path. */
function rewrittenList({ conf }: SubmitRequest, key: string, placed: readonly PlacedDependency[]): string {
  const list = dependencyLists.find((entry) => entry.key === key);
  const uris = (list === undefined ? [] : conf.get(list)).flatMap(({ text }) => {
    const own = placed.find(({ dependency }) => dependency.key === key && dependency.uri === text);
    if (own === undefined) return [text];
    return own.entry.kind === "jar" && modeOf(conf) === "classPathOnly" ? [] : [uriOf(own, conf)];
  });
  return [...new Set(uris)].join(",");
}

/** Builds the URI of a dependency in the pods. Executors read `local:` from their own disk, and fetch `file:` from the driver. */
function uriOf({ dependency, entry, fragment }: PlacedDependency, conf: SparkConf): string {
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
