import { dirname, resolve } from "node:path";
import { failure, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/message-of.ts";
import type { Host } from "../host/host.ts";
import { type HadoopConf, hadoopConf } from "../values/hadoop-conf.ts";
import { type HadoopXmlItem, parseHadoopXml } from "../values/hadoop-xml.ts";

/** Sources of Hadoop's configuration. */
interface HadoopConfSources {
  /** Directories in class-path order: the first one with a file wins. Usually from `hadoopDirectories`. */
  readonly directories: readonly string[];
  /** Properties that win over all files: those after `spark.hadoop.`. */
  readonly overrides: ReadonlyMap<string, string>;
  /** Names of files, of which later ones win. @default those of Hadoop's clients */
  readonly files?: readonly string[];
}

const siteFiles = ["core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml"];

/** Returns HADOOP_CONF_DIR and YARN_CONF_DIR, if set. */
export function hadoopDirectories({ env }: Pick<Host, "env">): readonly string[] {
  return [env["HADOOP_CONF_DIR"], env["YARN_CONF_DIR"]].flatMap((directory) => directory || []);
}

/**
 * Reads the configuration of Hadoop's clients. Missing files are skipped.
 *
 * Errors: SUBMIT_ERR_HADOOP_CONF, one for each file that cannot be read.
 */
export function readHadoopConf(
  host: Host,
  { directories, overrides, files = siteFiles }: HadoopConfSources,
): Result<HadoopConf> {
  const properties = new Map<string, string>();
  const finals = new Set<string>();
  const issues = [];
  for (const name of files) {
    const path = directories
      .map((directory) => resolve(host.cwd, directory, name))
      .find((candidate) => host.files.info(candidate)?.kind === "file");
    const items = path === undefined ? success([]) : readItems(host, path, []);
    if (!items.ok) {
      issues.push(...items.issues);
      continue;
    }
    for (const { name: property, value, isFinal } of items.value) {
      if (finals.has(property)) continue;
      properties.set(property, value);
      if (isFinal) finals.add(property);
    }
  }
  if (issues.length > 0) return { ok: false, issues };
  const system = { "user.name": host.user.name, "user.home": host.user.home, "user.dir": host.cwd };
  return success(
    hadoopConf(new Map([...properties, ...overrides]), {
      env: host.env,
      system: { ...system, "java.io.tmpdir": host.files.temporaryRoot },
    }),
  );
}

type Property = Extract<HadoopXmlItem, { kind: "property" }>;

function readItems(host: Host, path: string, within: readonly string[]): Result<readonly Property[]> {
  const refuse = (reason: string) => failure("SUBMIT_ERR_HADOOP_CONF", { path, reason });
  if (within.includes(path)) return refuse("it includes itself");
  const text = textOf(host, path);
  if (!text.ok) return refuse(text.reason);
  const parsed = parseHadoopXml(text.value);
  if (!parsed.ok) return refuse(parsed.reason);
  const properties: Property[] = [];
  for (const item of parsed.items) {
    if (item.kind === "property") {
      properties.push(item);
      continue;
    }
    const included = resolve(dirname(path), item.href.replace(/^file:(\/\/)?/, ""));
    if (item.isOptional && host.files.info(included) === undefined) continue;
    const more = readItems(host, included, [...within, path]);
    if (!more.ok) return more;
    properties.push(...more.value);
  }
  return success(properties);
}

function textOf({ files }: Host, path: string) {
  try {
    const value = files.readText(path);
    if (value === undefined) return { ok: false as const, reason: "No such file or directory" };
    return { ok: true as const, value };
  } catch (error) {
    return { ok: false as const, reason: messageOf(error) };
  }
}
