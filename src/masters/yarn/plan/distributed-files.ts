import { yarnDistArchives, yarnDistFiles, yarnDistJars, yarnDistPyFiles } from "../../../conf/entries/app.ts";
import { kerberosKeytab } from "../../../conf/entries/hadoop.ts";
import { yarnArchive, yarnIsPython, yarnJars, yarnSecondaryJars, yarnUserJar } from "../../../conf/entries/yarn.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { type Issue, issue, type Result, unlessIssues } from "../../../errors/issue.ts";
import type { LogLine } from "../../../plan/log-line.ts";
import type { ApplicationRequest } from "../../../plan/submit-request.ts";
import { parseUri } from "../../../values/uri.ts";
import { type YarnFacts, yarnNames } from "./yarn-facts.ts";

/** A file that YARN distributes to containers. */
export interface DistributedFile {
  /** URI without fragment; `undefined`: archive of all jars of a local Spark. */
  readonly uri: string | undefined;
  /** Name in messages. */
  readonly shown: string;
  /** Name in HDFS if it is uploaded. */
  readonly name: string;
  /** Name in the working directory of a container. */
  readonly link: string;
  readonly type: "FILE" | "ARCHIVE";
  /** Whether only the driver gets the file. */
  readonly driverOnly: boolean;
}

/** All distributed files, and the resulting settings. */
export interface Distribution {
  readonly files: readonly DistributedFile[];
  readonly conf: SparkConf;
  readonly log: readonly LogLine[];
}

/**
 * Plans the distributed files: the keytab, Spark itself, the application, its jars, files, archives and Python files, in this order.
 *
 * Errors: SUBMIT_ERR_YARN_ARCHIVE_LOCAL, SUBMIT_ERR_YARN_FILE_DUPLICATE. Source: Spark yarn.Client.prepareLocalResources.
 */
export function planDistribution(request: ApplicationRequest, facts: YarnFacts): Result<Distribution> {
  const { appResource } = request;
  let { conf } = request;
  const collected = collection();
  const { add, issues } = collected;
  const log: LogLine[] = [];
  const { keytab } = facts;
  if (keytab !== undefined) {
    add(keytab.uri, { link: keytab.link, driverOnly: true });
    conf = conf.with(kerberosKeytab.key, keytab.link);
  }
  const archive = conf.get(yarnArchive);
  if (archive !== undefined) {
    if (isContainerLocal(archive)) issues.push(issue("SUBMIT_ERR_YARN_ARCHIVE_LOCAL", {}));
    else add(archive, { type: "ARCHIVE", link: yarnNames.libraries });
  } else if (facts.sparkJars !== undefined) {
    for (const jar of facts.sparkJars.filter((uri) => !isContainerLocal(uri)))
      add(jar, { directory: yarnNames.libraries });
    conf = conf.with(yarnJars.key, facts.sparkJars.filter(isContainerLocal).join(","));
  } else {
    const text = `Neither ${yarnJars.key} nor ${yarnArchive.key} is set, falling back to uploading libraries under SPARK_HOME.`;
    log.push({ level: "WARN", logger: "Client", text });
    collected.addLibraries();
  }
  const jar = appJarOf(request);
  if (jar !== undefined && isContainerLocal(jar)) conf = conf.with(yarnUserJar.key, jar);
  else if (jar !== undefined) add(jar, { link: yarnNames.appJar });
  const secondary = conf.get(yarnDistJars).flatMap((uri) => add(uri, {}) ?? []);
  if (secondary.length > 0) conf = conf.with(yarnSecondaryJars.key, secondary.join(","));
  const others = [
    ...conf.get(yarnDistFiles).map((uri) => ({ uri, type: "FILE" as const })),
    ...conf.get(yarnDistArchives).map((uri) => ({ uri, type: "ARCHIVE" as const })),
  ];
  for (const { uri, type } of others)
    if (add(uri, { type }) === undefined) issues.push(issue("SUBMIT_ERR_YARN_FILE_DUPLICATE", { uri }));
  if (appResource.kind === "python") add(appResource.uri, { driverOnly: true });
  for (const uri of facts.pythonArchives) add(uri, {});
  for (const uri of conf.get(yarnDistPyFiles)) add(uri, uri.endsWith(".py") ? { directory: yarnNames.pyFiles } : {});
  return unlessIssues(issues, { files: collected.files, conf, log: [...log, ...collected.log] });
}

/**
 * Adds the settings that an application's language requires: a flag for Python; its script and SparkR for R.
 *
 * Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function withLanguage<R extends ApplicationRequest>(request: R, sparkR: string | undefined): R {
  const { conf, appResource } = request;
  if (appResource.kind === "python") return { ...request, conf: conf.with(yarnIsPython.key, "true") };
  if (sparkR === undefined) return request;
  const files = [...conf.get(yarnDistFiles), appResource.uri];
  const archives = [...conf.get(yarnDistArchives), `${sparkR}#${yarnNames.sparkR}`];
  const extended = conf.with(yarnDistFiles.key, files.join(",")).with(yarnDistArchives.key, archives.join(","));
  return { ...request, conf: extended };
}

/** Returns the jar of the application, if it has one. */
export function appJarOf({ appResource }: Pick<ApplicationRequest, "appResource">): string | undefined {
  return appResource.kind === "java" && appResource.uri !== "spark-internal" ? appResource.uri : undefined;
}

/** Returns whether every node of the cluster has the file. */
export function isContainerLocal(uri: string): boolean {
  return uri.startsWith("local:");
}

interface FileTarget {
  readonly type?: DistributedFile["type"];
  readonly link?: string;
  readonly directory?: string;
  readonly driverOnly?: boolean;
}

/** Collects files in order, without duplicates. */
function collection() {
  const files: DistributedFile[] = [];
  const log: LogLine[] = [];
  const issues: Issue[] = [];
  const uris = new Set<string>();
  const names = new Set<string>();
  const isNew = (uri: string, name: string): boolean => {
    const warn = (text: string) => log.push({ level: "WARN", logger: "Client", text });
    if (uris.has(uri)) warn(`Same path resource ${uri} added multiple times to distributed cache.`);
    else if (names.has(name)) warn(`Same name resource ${uri} added multiple times to distributed cache`);
    else {
      uris.add(uri);
      names.add(name);
      return true;
    }
    return false;
  };
  return {
    files,
    log,
    issues,
    /** Adds a file. Returns its name in a container, or its URI if every node has it; `undefined` for a duplicate. */
    add(uri: string, { type = "FILE", link, directory, driverOnly = false }: FileTarget): string | undefined {
      if (isContainerLocal(uri)) return uri;
      const { path = "", fragment } = parseUri(uri) ?? {};
      const name = path.replace(/\/+$/, "").replace(/^.*\//, "");
      if (!isNew(uri, name)) return undefined;
      const linked = `${directory === undefined ? "" : `${directory}/`}${link ?? fragment ?? name}`;
      const shown = uri.replace(/^file:\/\/(?=\/)/, "file:");
      files.push({ uri: uri.replace(/#.*$/, ""), shown, name, link: linked, type, driverOnly });
      return linked;
    },
    addLibraries() {
      const name = yarnNames.librariesArchive;
      const link = yarnNames.libraries;
      files.push({ uri: undefined, shown: name, name, link, type: "ARCHIVE", driverOnly: false });
    },
  };
}
