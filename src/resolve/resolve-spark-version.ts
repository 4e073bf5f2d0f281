import type { Setting } from "../conf/setting.ts";
import { newestLine, newestRelease, parseSparkVersion, type SparkVersion, sparkLines } from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { imageVersion, versionSetting } from "./version-settings.ts";

/** Sources of the Spark version of a submission. */
interface VersionSources {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the version of the Spark on this machine, e.g. `4.3.0`; called only if no other source has one. */
  readonly localSpark: () => string | undefined;
}

/**
 * Resolves the Spark version of a submission, from an option or setting, else from FIRESTEEL_SPARK_VERSION, the image's tag, or
 * the Spark on this machine. The default is the newest supported release.
 *
 * Errors: SUBMIT_ERR_SPARK_VERSION if the specified version is not supported.
 */
export function resolveSparkVersion({ settings, env, localSpark }: VersionSources): Result<SparkVersion> {
  const specified = specifiedText(settings, env);
  if (specified !== undefined) {
    const version = parseSparkVersion(specified);
    return version === undefined
      ? failure("SUBMIT_ERR_SPARK_VERSION", { text: specified, known: sparkLines })
      : success(version);
  }
  const inferred = readFrom(settings, imageVersion) ?? parseLocal(localSpark());
  return success(inferred ?? { line: newestLine, text: newestRelease(newestLine).text });
}

/** Returns the version in option, setting, variable or image: a release, or a line such as `4.1`. */
export function specifiedSparkVersion({ settings, env }: Omit<VersionSources, "localSpark">): string | undefined {
  return specifiedText(settings, env) ?? readFrom(settings, imageVersion)?.text;
}

function specifiedText(settings: VersionSources["settings"], env: VersionSources["env"]): string | undefined {
  const variable = env["FIRESTEEL_SPARK_VERSION"];
  return readFrom(settings, versionSetting) ?? (variable === "" ? undefined : variable);
}

/** Reads a version from settings. Without settings, as mostly for usage and version, the setting keys are not loaded. */
function readFrom<T>(
  settings: VersionSources["settings"],
  read: (settings: VersionSources["settings"]) => T | undefined,
) {
  return settings.size === 0 ? undefined : read(settings);
}

function parseLocal(version: string | undefined): SparkVersion | undefined {
  return version === undefined ? undefined : parseSparkVersion(version);
}
