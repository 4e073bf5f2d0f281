import { mergeSettings } from "../conf/merge.ts";
import type { Setting } from "../conf/setting.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { trimExceptLineEnds } from "../values/java-trim.ts";
import { parseProperties } from "../values/properties.ts";
import { adjustSettings } from "./adjust-settings.ts";
import { nearestFile } from "./nearest-file.ts";
import { confDirectoryPath } from "./spark-env.ts";

/** A properties file and its entries. */
export interface ReadFile {
  readonly path: string;
  readonly entries: ReadonlyMap<string, string>;
}

/** Settings of `--conf` and of properties files, each key once. */
export interface ReadSettings {
  /** Settings by key; only keys that begin with `spark.`. */
  readonly settings: ReadonlyMap<string, Setting>;
  /** Keys that do not begin with `spark.`. */
  readonly ignored: readonly string[];
  /** Files in the order in which they were read. */
  readonly files: readonly ReadFile[];
  /** Path of spark-defaults.conf, if it was read. */
  readonly defaultsFile: string | undefined;
  /** Sentences about replaced keys. */
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
}

/**
 * Keys of shuffle data except those of SQL, keys of dynamic allocation, mounts and Python environments, and parts of keys that
 * only the first releases had or read in another way. Their tables are a separate chunk, which few submissions load.
 */
const adjustedKey =
  /^spark\.(?!sql)(.*shuf|dynamicA|firesteel\.(mo|py)|ssl\.k|kubernetes\.(in|mo|submit\.|au.*\.res|re.*S|ke|driverS|do|al.*\.d|\w+\.(do|[al]\w+s$|me|su|hd|ser.*\.n|conf\.d|ex.*\.h)))/;

/**
 * Reads and merges settings. Order of precedence: `--conf`, the extra properties files from last to first, the properties
 * file, spark-defaults.conf. The last is read only without a properties file, or with `--load-spark-defaults`.
 *
 * Errors, in `issues`: SUBMIT_ERR_PROPERTIES_FILE, SUBMIT_ERR_PROPERTIES_ESCAPE, and those of `adjustSettings`.
 * Source: Spark SparkSubmitArguments.mergeDefaultSparkProperties, ignoreNonSparkProperties.
 */
export function readSettings(host: Host, commandLine: CommandLineSettings): ReadSettings {
  const { propertiesFile, extraPropertiesFiles } = commandLine;
  const loadsDefaults = propertiesFile === undefined || commandLine.loadsDefaults;
  const defaultsFile = loadsDefaults ? findDefaults(host) : undefined;
  const issues: Issue[] = [];
  const read = (path: string) => readPropertiesFile(host, path, issues);
  const named = [...(propertiesFile === undefined ? [] : [propertiesFile]), ...extraPropertiesFiles].flatMap(read);
  const defaults = defaultsFile === undefined ? [] : read(defaultsFile);
  const { settings, ignoredKeys } = mergeSettings([
    commandLine.settings,
    ...[...named.toReversed(), ...defaults].map(settingsOf),
  ]);
  const current = settings.some(({ key }) => adjustedKey.test(key))
    ? adjustSettings(settings, commandLine, host)
    : { settings, warnings: [], issues: [] };
  return {
    settings: new Map(current.settings.map((setting) => [setting.key, setting])),
    ignored: ignoredKeys,
    files: [...named, ...defaults],
    defaultsFile,
    warnings: current.warnings,
    issues: [...issues, ...current.issues],
  };
}

function settingsOf({ path, entries }: ReadFile): readonly Setting[] {
  return [...entries].map(([key, value]) => ({ key, value, origin: { kind: "file", path } }));
}

function findDefaults(host: Host): string | undefined {
  const directory = confDirectoryPath(host);
  // Java's File prints an absolute path without repeated slashes.
  const path = `${directory?.startsWith("/") === true ? "" : `${host.cwd}/`}${directory}/spark-defaults.conf`.replace(
    /\/+/g,
    "/",
  );
  return directory !== undefined && host.files.info(path)?.kind === "file" ? path : undefined;
}

function readPropertiesFile(host: Host, path: string, issues: Issue[]): readonly ReadFile[] {
  const text = readRegularFile(host, path);
  if (text === undefined) {
    issues.push(issue("SUBMIT_ERR_PROPERTIES_FILE", { path, nearest: nearestFile(host, path) }));
    return [];
  }
  const parsed = parseProperties(text);
  if (!parsed.ok) {
    issues.push(issue("SUBMIT_ERR_PROPERTIES_ESCAPE", { path }));
    return [];
  }
  const trimmed = [...parsed.entries].map(([key, value]): [string, string] => [key, trimExceptLineEnds(value)]);
  return [{ path, entries: new Map(trimmed) }];
}

function readRegularFile(host: Host, path: string): string | undefined {
  try {
    return host.files.info(path)?.kind === "file" ? host.files.readText(path) : undefined;
  } catch {
    return undefined;
  }
}
