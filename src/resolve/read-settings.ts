import { mergeSettings } from "../conf/merge.ts";
import type { Setting } from "../conf/setting.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { trimExceptLineEnds } from "../values/java-trim.ts";
import { parseProperties } from "../values/properties.ts";
import { confDirectoryPath } from "./spark-env.ts";

/** A file of settings that was read. */
export interface ReadFile {
  readonly path: string;
  readonly entries: ReadonlyMap<string, string>;
}

/** Settings of all sources but options of their own, each key once. */
export interface ReadSettings {
  /** By key; only Spark's. */
  readonly settings: ReadonlyMap<string, Setting>;
  /** Keys that do not begin with `spark.`. */
  readonly ignored: readonly string[];
  /** In the order of reading. */
  readonly files: readonly ReadFile[];
  /** spark-defaults.conf, when it was read. */
  readonly defaultsFile: string | undefined;
  readonly issues: readonly Issue[];
}

/**
 * Reads the files of settings and merges them: `--conf` wins over extra files, the last first, these over the
 * properties file, this over spark-defaults.conf, which is read only when there is no other properties file.
 *
 * Source: Spark SparkSubmitArguments.mergeDefaultSparkProperties, ignoreNonSparkProperties.
 */
export function readSettings(host: Host, given: CommandLineSettings): ReadSettings {
  const { propertiesFile, extraPropertiesFiles } = given;
  const wantsDefaults = propertiesFile === undefined || given.loadsDefaults;
  const defaultsFile = wantsDefaults ? findDefaults(host) : undefined;
  const issues: Issue[] = [];
  const read = (path: string) => readPropertiesFile(host, path, issues);
  const named = [...(propertiesFile === undefined ? [] : [propertiesFile]), ...extraPropertiesFiles].flatMap(
    read,
  );
  const defaults = defaultsFile === undefined ? [] : read(defaultsFile);
  const { settings, ignoredKeys } = mergeSettings([
    given.settings,
    ...[...named.toReversed(), ...defaults].map(settingsOf),
  ]);
  return {
    settings: new Map(settings.map((setting) => [setting.key, setting])),
    ignored: ignoredKeys,
    files: [...named, ...defaults],
    defaultsFile,
    issues,
  };
}

function settingsOf({ path, entries }: ReadFile): readonly Setting[] {
  return [...entries].map(([key, value]) => ({ key, value, origin: { kind: "file", path } }));
}

function findDefaults(host: Host): string | undefined {
  const directory = confDirectoryPath(host);
  // As Java's File tells it.
  const path =
    `${directory?.startsWith("/") === true ? "" : `${host.cwd}/`}${directory}/spark-defaults.conf`.replace(
      /\/+/g,
      "/",
    );
  return directory !== undefined && host.files.info(path)?.kind === "file" ? path : undefined;
}

function readPropertiesFile(host: Host, path: string, issues: Issue[]): readonly ReadFile[] {
  const text = readRegularFile(host, path);
  if (text === undefined) {
    issues.push(issue("SUBMIT_ERR_PROPERTIES_FILE", { path }));
    return [];
  }
  const parsed = parseProperties(text);
  if (!parsed.ok) {
    issues.push(issue("SUBMIT_ERR_PROPERTIES_ESCAPE", { path }));
    return [];
  }
  const trimmed = [...parsed.entries].map(([key, value]): [string, string] => [
    key,
    trimExceptLineEnds(value),
  ]);
  return [{ path, entries: new Map(trimmed) }];
}

function readRegularFile(host: Host, path: string): string | undefined {
  try {
    return host.files.info(path)?.kind === "file" ? host.files.readText(path) : undefined;
  } catch {
    return undefined;
  }
}
