import { submitError } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import { fetchApacheArchive } from "./apache-archive.ts";
import { inInstallDirectory, moveInstallation } from "./cache.ts";
import { fetchPypiArchive } from "./pypi-archive.ts";
import type { SparkFetch } from "./spark-fetch.ts";
import { readSparkHome, type SparkHome } from "./spark-home.ts";

const sources = [fetchPypiArchive, fetchApacheArchive];

/**
 * Installs a Spark distribution into Firesteel's cache: `spark/<version>`, and its archive's checksum beside it.
 *
 * The rename is atomic. Installations can run concurrently: each uses its own directory.
 *
 * @throws SubmitError `SUBMIT_ERR_SPARK_INSTALL` with the reason of each source.
 */
export async function installSpark(host: Host, { version, progress }: Omit<SparkFetch, "work">): Promise<SparkHome> {
  const target = `${cacheDirectory(host)}/spark/${version}`;
  return await inInstallDirectory(host, target, (work) => installIn(host, target, { version, progress, work }));
}

async function installIn(host: Host, target: string, { work, ...request }: SparkFetch): Promise<SparkHome> {
  const reasons: string[] = [];
  for (const fetchArchive of sources) {
    const directory = `${work}/${reasons.length}`;
    host.files.makeDirectory(directory);
    const fetched = await fetchArchive(host, { ...request, work: directory });
    if (!fetched.ok) {
      reasons.push(fetched.reason);
      continue;
    }
    if (readSparkHome(host, `${directory}/home`) === undefined) {
      reasons.push(`${fetched.archive} contains no Spark distribution`);
      continue;
    }
    host.files.write(`${target}.sha256`, `${fetched.sha256}  ${fetched.archive}\n`);
    const isUsable = () => readSparkHome(host, target) !== undefined;
    moveInstallation(host, { finished: `${directory}/home`, target, isUsable });
    const installed = readSparkHome(host, target);
    if (installed === undefined) throw new Error(`${target} exists but contains no Spark distribution`);
    return installed;
  }
  throw submitError("SUBMIT_ERR_SPARK_INSTALL", { version: request.version, reasons });
}
