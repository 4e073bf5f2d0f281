import type { WebHdfs } from "../../../hadoop/webhdfs.ts";
import type { Host } from "../../../host/host.ts";
import { byteBudget } from "../byte-budget.ts";
import { storeLayout } from "../layout.ts";
import type { Store } from "../open-store.ts";
import type { SigningKeys } from "../signing-keys.ts";
import { openHdfsBlobs } from "./hdfs-blobs.ts";
import { openHdfsBundles } from "./hdfs-bundles.ts";
import { writeNew } from "./hdfs-files.ts";
import { openHdfsKeys } from "./hdfs-keys.ts";
import { type HdfsScope, storePermissions } from "./hdfs-scope.ts";
import { openHdfsUploads } from "./hdfs-uploads.ts";

/** Memory limit for bytes in transit to the HDFS. */
const memoryBytes = 80 * 1024 * 1024;

/**
 * Opens the store in a directory of an HDFS, and creates the directory if it does not exist.
 *
 * @param root absolute path without a trailing slash
 * @throws SUBMIT_ERR_HADOOP_…
 */
export async function openHdfsStore(
  host: Pick<Host, "clock" | "random">,
  hdfs: WebHdfs,
  root: string,
): Promise<Omit<Store, "close">> {
  const { clock, random } = host;
  const layout = storeLayout(root);
  const { blobs, owned, bundles, uploads, tombstones, requests, probes, keys } = layout;
  for (const directory of [blobs, owned, bundles, uploads, tombstones, requests, probes, keys])
    await hdfs.makeDirectory(directory, storePermissions.directory);
  const scope: HdfsScope = { host, hdfs, layout, memory: byteBudget(clock, memoryBytes) };
  const probe = async () => {
    const path = `${probes}/${random.uuid()}`;
    await writeNew(scope, path, "x");
    await hdfs.remove(path);
  };
  await probe();
  let opened: Promise<SigningKeys> | undefined;
  return {
    layout,
    blobs: openHdfsBlobs(scope),
    bundles: openHdfsBundles(scope),
    uploads: openHdfsUploads(scope),
    freeBytes: () => Number.POSITIVE_INFINITY,
    async sweepTraces(ageMs) {
      const before = clock.now() - ageMs;
      for (const directory of [tombstones, requests, probes]) {
        for (const { name, modifiedMs } of (await hdfs.list(directory)) ?? []) {
          if (modifiedMs <= before) await hdfs.remove(`${directory}/${name}`);
        }
      }
    },
    probe,
    ownKeys() {
      opened ??= openHdfsKeys(scope);
      return opened;
    },
  };
}
