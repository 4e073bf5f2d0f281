import { stagingS3Path } from "../../../conf/entries/bucket.ts";
import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import type { Issue } from "../../../errors/issue.ts";
import { isSubmitError, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { sparkLog } from "../../../host/log.ts";
import { printReference } from "../../../kube/resources.ts";
import type { CommandLineSettings } from "../../../plan/invocation.ts";
import { bucketEntries } from "../../../plan/transports/s3.ts";
import { parseDuration } from "../../../values/duration.ts";
import type { SubmitContext } from "../../master-strategy.ts";
import { withClient } from "../connect/with-client.ts";
import { type SweepResult, type SweptObject, sweep } from "./sweep.ts";
import type { BucketSweep, SweptBucket } from "./sweep-bucket.ts";
import { type SweptUploads, sweepUploads } from "./sweep-uploads.ts";

interface SweepRequest extends Pick<SubmitContext, "openClient" | "openEmbedded"> {
  readonly host: Host;
  readonly commandLine: CommandLineSettings;
  /** E.g. `10min`. */
  readonly olderThan: string;
  readonly dryRun: boolean;
}

interface SweptCluster extends SweepResult {
  readonly namespace: string;
  readonly uploads: readonly SweptUploads[];
  /** Result for the bucket, if the settings name one. */
  readonly bucket: SweptBucket | undefined;
}

/**
 * Sweeps the namespace of the settings, and their bucket.
 *
 * @throws SUBMIT_ERR_ARG_VALUE, SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what connecting throws
 */
export async function sweepCluster(request: SweepRequest): Promise<SweptCluster> {
  const { host, dryRun } = request;
  const age = parseDuration(request.olderThan, "s");
  if (!age.ok) {
    const allowed = "times such as 10min or 1h";
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "--older-than", value: request.olderThan, allowed });
  }
  const call = { ...request, log: sparkLog(host, "WARN") };
  return withClient(call, { entries: [namespaceEntry, ...bucketEntries] }, async ({ cluster, client }) => {
    const namespace = cluster.conf.get(namespaceEntry);
    const result = await sweep({ client, clock: host.clock, namespace, olderThanMs: age.value * 1000, dryRun });
    const uploads = await sweepUploads({ host, client, owner: cluster, dryRun }, namespace);
    const { bucket, issues } = await sweepNamedBucket({ host, conf: cluster.conf, dryRun });
    const allIssues = [...result.issues, ...uploads.issues, ...issues];
    return { ...result, issues: allIssues, namespace, uploads: uploads.uploads, bucket };
  });
}

/** Sweeps the bucket of the settings, if there is one. Its errors join the other issues. */
async function sweepNamedBucket(
  sweeping: BucketSweep,
): Promise<{ readonly bucket: SweptBucket | undefined; readonly issues: readonly Issue[] }> {
  if (sweeping.conf.get(stagingS3Path) === undefined) return { bucket: undefined, issues: [] };
  const { sweepBucket } = await import("./sweep-bucket.ts");
  try {
    return { bucket: await sweepBucket(sweeping), issues: [] };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return { bucket: undefined, issues: error.issues };
  }
}

/** Prints one line for each swept object and upload, and for the files of a bucket. */
export function printSweep({ objects, uploads, bucket }: SweptCluster): readonly string[] {
  return [
    ...objects.map(printSwept),
    ...uploads.map(({ driver, directories }) => `deleted uploads of ${driver}: ${directories.join(", ")}`),
    ...(bucket === undefined ? [] : printSweptBucket(bucket)),
  ];
}

function printSweptBucket({ bucket, files, bytes, unfinished }: SweptBucket): readonly string[] {
  const removed = `deleted files of ${bucket} that were unused for 8 days: ${files} (${bytes} bytes)`;
  const aborted = `deleted files of ${bucket} that were not completed for 8 days: ${unfinished}`;
  return [...(files === 0 ? [] : [removed]), ...(unfinished === 0 ? [] : [aborted])];
}

/** Prints one line about an object, e.g. `deleted configmap/spark-drv-…-conf-map`. */
function printSwept({ type, name, action, driver }: SweptObject): string {
  const about = { adopted: ` (driver ${driver ?? ""})`, deleted: "", kept: " (too new)" };
  return `${action} ${printReference(type, name)}${about[action]}`;
}
