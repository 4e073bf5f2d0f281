import { archives, files, jars } from "../../../conf/entries/app.ts";
import { firesteelSettings } from "../../../conf/entries/firesteel.ts";
import { yarnCache } from "../../../conf/entries/yarn.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { printHadoopXml } from "../../../values/hadoop-xml.ts";
import { printProperties } from "../../../values/properties.ts";
import type { DistributedFile } from "./distributed-files.ts";
import { type NamedFile, type YarnFacts, yarnNames } from "./yarn-facts.ts";

/** File as declared to NodeManagers. They reject it if size or time differ. */
export interface LocalResource extends Pick<DistributedFile, "link" | "type" | "driverOnly"> {
  /** E.g. `hdfs://nameservice1/user/ann/.sparkStaging/application_1_1/app.jar`. */
  readonly url: string;
  readonly sizeBytes: number;
  /** Modification time in ms since 1970. */
  readonly timestamp: number;
  /** PUBLIC if all users can read the file, so that all users of a node share one copy. */
  readonly visibility: "PUBLIC" | "PRIVATE";
}

interface ConfArchive {
  /** Configuration of the driver. */
  readonly conf: SparkConf;
  readonly facts: YarnFacts;
  readonly resources: readonly LocalResource[];
  /** URL that the archive will have. */
  readonly url: string;
}

/** Settings of files that YARN distributes, which Spark must not distribute again. */
const excludedKeys: readonly string[] = [jars.key, files.key, archives.key];

/** Builds the files of the configuration archive. Source: Spark yarn.Client.createConfArchive; recorded with Spark 4.3.0. */
export function confArchiveFiles({ conf, facts, resources, url }: ConfArchive): readonly NamedFile[] {
  const settings = conf
    .settings()
    .filter(({ key }) => !excludedKeys.includes(key) && !key.startsWith(firesteelSettings.prefix));
  const hadoopConf = facts.hadoopFiles.map(({ name, bytes }) => ({ name: `${yarnNames.hadoopConf}/${name}`, bytes }));
  return [
    ...facts.confFiles,
    ...hadoopConf,
    file(yarnNames.hadoopConfXml, printHadoopXml(facts.hadoop.entries())),
    file(yarnNames.confProperties, properties(settings.map(({ key, value }) => [key, value]))),
    file(yarnNames.distCacheProperties, properties(distCache(resources, url))),
  ];
}

function distCache(resources: readonly LocalResource[], url: string): readonly (readonly [string, string])[] {
  const shared = resources.filter(({ driverOnly }) => !driverOnly);
  const list = (show: (resource: LocalResource) => string | number) => shared.map(show).join(",");
  return [
    [yarnCache.filenames.key, list((resource) => `${resource.url}#${resource.link}`)],
    [yarnCache.sizes.key, list(({ sizeBytes }) => sizeBytes)],
    [yarnCache.timestamps.key, list(({ timestamp }) => timestamp)],
    [yarnCache.visibilities.key, list(({ visibility }) => visibility)],
    [yarnCache.types.key, list(({ type }) => type)],
    [yarnCache.confArchive.key, url],
  ];
}

function properties(entries: Iterable<readonly [string, string]>): string {
  return printProperties({ comments: ["Spark configuration."], entries: new Map(entries) });
}

function file(name: string, text: string): NamedFile {
  return { name, bytes: new TextEncoder().encode(text) };
}
