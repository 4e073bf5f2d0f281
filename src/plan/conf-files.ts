import { configMapMaxSize } from "../conf/entries/staging.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { StringMap } from "../kube/types.ts";
import type { ConfFile, Facts } from "./facts.ts";
import type { LogLine } from "./log-line.ts";

/** Settings that limit how much of the configuration directory is copied to the driver. */
export const confFileEntries = [configMapMaxSize];

/** Maximum size of a file's name and content, in bytes, whatever the settings allow. */
export const maxConfFileBytes = 1_048_576;

/**
 * Whether a file of the configuration directory is copied to the driver. Archives and templates are not; Spark's own
 * properties reach the driver in its ConfigMap.
 *
 * Source: Spark KubernetesClientUtils.listConfFiles.
 */
export function isShippedConfFile(name: string): boolean {
  return !/^(?:.*\.(?:gz|zip|jar|tar)|.*\.template|spark.*(?:conf|properties))$/.test(name);
}

/** Inputs of the choice of files. */
interface ConfFileChoice {
  readonly conf: SparkConf;
  readonly facts: Facts;
}

/** Files that are copied to the driver, by name, and log messages. */
interface ChosenConfFiles {
  readonly texts: StringMap;
  readonly log: readonly LogLine[];
}

/** Chooses the smallest files that fit into `spark.kubernetes.configMap.maxSize`. Skips files that are not UTF-8 text. */
export function chooseConfFiles({ conf, facts }: ConfFileChoice): ChosenConfFiles {
  const directory = facts.confDirectory;
  if (directory === undefined) return { texts: {}, log: [] };
  const limit = conf.get(configMapMaxSize);
  const texts: Record<string, string> = {};
  const skipped: string[] = [];
  const log: LogLine[] = [];
  let used = 0;
  for (const file of smallestFirst(directory.files, limit)) {
    if (file.text === undefined) {
      log.push(line("WARN", `Unable to read a non UTF-8 encoded file ${directory.path}/${file.name}. Skipping...`));
      continue;
    }
    // Spark sorts by bytes but counts characters.
    const size = file.name.length + file.text.length;
    if (used + size >= limit) {
      skipped.push(file.name);
      continue;
    }
    used += size;
    texts[file.name] = file.text;
  }
  return { texts, log: [...log, ...summary(directory.path, Object.keys(texts), skipped)] };
}

function smallestFirst(files: readonly ConfFile[], limit: number): readonly ConfFile[] {
  const sizeOf = ({ name, sizeBytes }: ConfFile) => name.length + sizeBytes;
  return files
    .filter((file) => isShippedConfFile(file.name) && sizeOf(file) <= limit)
    .sort((a, b) => sizeOf(a) - sizeOf(b) || (a.name < b.name ? -1 : 1));
}

function summary(path: string, loaded: readonly string[], skipped: readonly string[]): readonly LogLine[] {
  const lines: LogLine[] = [];
  if (loaded.length > 0) {
    lines.push(line("INFO", `Spark configuration files loaded from Some(${path}) : ${[...loaded].sort().join(",")}`));
  }
  if (skipped.length > 0) {
    const names = skipped.join(",");
    lines.push(
      line(
        "WARN",
        `Skipped conf file(s) ${names}, due to size constraint. Please see, config: \`${configMapMaxSize.key}\` for more details.`,
      ),
    );
  }
  return lines;
}

function line(level: LogLine["level"], text: string): LogLine {
  return { level, logger: "KubernetesClientUtils", text };
}
