import { firesteelSparkVersion } from "../conf/entries/firesteel.ts";
import { containerImage, driverContainerImage } from "../conf/entries/image.ts";
import type { Setting } from "../conf/setting.ts";
import { parseSparkVersion, type SparkVersion } from "../conf/spark-version.ts";

/** Returns the specified Spark version as written. */
export function versionSetting(settings: ReadonlyMap<string, Setting>): string | undefined {
  return settings.get(firesteelSparkVersion.key)?.value;
}

/** Returns the version at the beginning of the image's tag. */
export function imageVersion(settings: ReadonlyMap<string, Setting>): SparkVersion | undefined {
  const image = settings.get(driverContainerImage.key) ?? settings.get(containerImage.key);
  return image === undefined ? undefined : parseTag(image.value);
}

/** Parses the version of an image. Shape: `registry:5000/team/spark:4.3.0-python3@sha256:…`; the tag begins with the version. */
function parseTag(image: string): SparkVersion | undefined {
  const [name = ""] = image.split("@");
  const [tag = "", ...before] = name.split(":").toReversed();
  return before.length === 0 ? undefined : parseSparkVersion(tag);
}
