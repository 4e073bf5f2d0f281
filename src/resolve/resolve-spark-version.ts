import type { Setting } from "../conf/setting.ts";
import {
  newestLine,
  newestRelease,
  parseSparkVersion,
  type SparkVersion,
  sparkLines,
} from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { imageVersion, versionSetting } from "./version-settings.ts";

/** What tells which Spark a submission speaks for. */
export interface VersionSources {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version of the Spark on this machine, e.g. `4.3.0`; asked only when nothing before it tells. */
  readonly localSpark: () => string | undefined;
}

/**
 * The Spark to speak for: as told by option or setting, else by FIRESTEEL_SPARK_VERSION, else as the image's tag says,
 * else the Spark on this machine, else the newest known.
 *
 * Errors: SUBMIT_ERR_SPARK_VERSION when it was told and is not known.
 */
export function resolveSparkVersion({ settings, env, localSpark }: VersionSources): Result<SparkVersion> {
  const told = toldText(settings, env);
  if (told !== undefined) {
    const version = parseSparkVersion(told);
    return version === undefined
      ? failure("SUBMIT_ERR_SPARK_VERSION", { text: told, known: sparkLines })
      : success(version);
  }
  const guess = ofSettings(settings, imageVersion) ?? parseLocal(localSpark());
  return success(guess ?? { line: newestLine, text: newestRelease(newestLine).text });
}

/** The version that the user wants, as far as option, setting, variable or image tell: a release, or a line such as `4.1`. */
export function specifiedSparkVersion({
  settings,
  env,
}: Omit<VersionSources, "localSpark">): string | undefined {
  return toldText(settings, env) ?? ofSettings(settings, imageVersion)?.text;
}

function toldText(settings: VersionSources["settings"], env: VersionSources["env"]): string | undefined {
  const variable = env["FIRESTEEL_SPARK_VERSION"];
  return ofSettings(settings, versionSetting) ?? (variable === "" ? undefined : variable);
}

/** Usage text and version are mostly asked for without a setting; then the keys need not load. */
function ofSettings<T>(
  settings: VersionSources["settings"],
  read: (given: typeof settings) => T | undefined,
) {
  return settings.size === 0 ? undefined : read(settings);
}

function parseLocal(version: string | undefined): SparkVersion | undefined {
  return version === undefined ? undefined : parseSparkVersion(version);
}
