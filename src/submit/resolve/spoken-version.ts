import { firesteelSparkVersion } from "../../conf/entries/firesteel.ts";
import { containerImage, driverContainerImage } from "../../conf/entries/image.ts";
import type { Setting } from "../../conf/setting.ts";
import {
  newestLine,
  parseSparkVersion,
  type SparkVersion,
  sparkLines,
  traitsOf,
} from "../../conf/spark-version.ts";
import { failure, type Result, success } from "../../errors/issue.ts";

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
export function spokenVersion({ settings, env, localSpark }: VersionSources): Result<SparkVersion> {
  const told = toldText(settings, env);
  if (told !== undefined) {
    const version = parseSparkVersion(told);
    return version === undefined
      ? failure("SUBMIT_ERR_SPARK_VERSION", { text: told, known: sparkLines })
      : success(version);
  }
  const guess = imageVersion(settings) ?? parseLocal(localSpark());
  return success(guess ?? { line: newestLine, text: traitsOf(newestLine).release });
}

/** The version that the user wants, as far as option, setting, variable or image tell: a release, or a line such as `4.1`. */
export function toldVersion({ settings, env }: Omit<VersionSources, "localSpark">): string | undefined {
  return toldText(settings, env) ?? imageVersion(settings)?.text;
}

function toldText(settings: VersionSources["settings"], env: VersionSources["env"]): string | undefined {
  const variable = env["FIRESTEEL_SPARK_VERSION"];
  return settings.get(firesteelSparkVersion.key)?.value ?? (variable === "" ? undefined : variable);
}

function imageVersion(settings: VersionSources["settings"]): SparkVersion | undefined {
  const image = settings.get(driverContainerImage.key) ?? settings.get(containerImage.key);
  return image === undefined ? undefined : parseTag(image.value);
}

/** Shape: `registry:5000/team/spark:4.3.0-python3@sha256:…`; the tag begins with the version. */
function parseTag(image: string): SparkVersion | undefined {
  const [name = ""] = image.split("@");
  const [tag = "", ...before] = name.split(":").toReversed();
  return before.length === 0 ? undefined : parseSparkVersion(tag);
}

function parseLocal(version: string | undefined): SparkVersion | undefined {
  return version === undefined ? undefined : parseSparkVersion(version);
}
