import { submitError } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import { fetchApacheArchive } from "./apache-archive.ts";
import { inInstallDirectory, placeInstalled } from "./cache.ts";
import { fetchPypiArchive } from "./pypi-archive.ts";
import type { SparkFetch } from "./spark-fetch.ts";
import { readSparkHome, type SparkHome } from "./spark-home.ts";

const sources = [fetchPypiArchive, fetchApacheArchive];

/**
 * Puts a Spark distribution into our cache: `spark/<version>`, and its archive's checksum beside it.
 *
 * It appears there whole or not at all. Two installations at once are fine: each works in its own folder.
 *
 * @throws SubmitError `SUBMIT_ERR_SPARK_INSTALL` with the reason of each source.
 */
export async function installSpark(
  host: Host,
  { version, progress }: Omit<SparkFetch, "work">,
): Promise<SparkHome> {
  const target = `${cacheDirectory(host)}/spark/${version}`;
  return await inInstallDirectory(host, target, (work) =>
    installIn(host, target, { version, progress, work }),
  );
}

async function installIn(host: Host, target: string, { work, ...wish }: SparkFetch): Promise<SparkHome> {
  const reasons: string[] = [];
  for (const fetchArchive of sources) {
    const directory = `${work}/${reasons.length}`;
    host.files.makeDirectory(directory);
    const fetched = await fetchArchive(host, { ...wish, work: directory });
    if (!fetched.ok) {
      reasons.push(fetched.reason);
      continue;
    }
    if (readSparkHome(host, `${directory}/home`) === undefined) {
      reasons.push(`${fetched.archive} holds no Spark distribution`);
      continue;
    }
    host.files.write(`${target}.sha256`, `${fetched.sha256}  ${fetched.archive}\n`);
    const isUsable = () => readSparkHome(host, target) !== undefined;
    placeInstalled(host, { finished: `${directory}/home`, target, isUsable });
    const installed = readSparkHome(host, target);
    if (installed === undefined) throw new Error(`${target} is there but holds no Spark distribution`);
    return installed;
  }
  throw submitError("SUBMIT_ERR_SPARK_INSTALL", { version: wish.version, reasons });
}
