import {
  stagingS3Authority,
  stagingS3Endpoint,
  stagingS3Path,
  stagingS3PathStyle,
  stagingS3PodEndpoint,
  stagingS3Region,
  stagingS3UrlLife,
} from "../../../conf/entries/bucket.ts";
import { isSubmitError, messageOf, submitError } from "../../../errors/submit-error.ts";
import { showProgress } from "../../../host/progress.ts";
import type { LocalizedEntry } from "../../../plan/localized-entries.ts";
import { localizingFiles, localizingNames, localizingPath } from "../../../plan/localizing-names.ts";
import type { Bucket } from "../../../s3/bucket.ts";
import { openByAwsTools } from "../../../s3/open-by-aws-tools.ts";
import { putFile } from "../../../s3/put-file.ts";
import type { LocalizeConfig } from "../../../staging-client/localize-config.ts";
import { limiter, together } from "../../../staging-client/together.ts";
import type { Carried, CarryCall } from "../carry.ts";
import { readNamedFile } from "./read-named-file.ts";

/** The bucket as we reach it, and as the pods do. */
interface Buckets {
  readonly own: Bucket;
  readonly ofPods: Bucket;
  readonly prefix: string;
  /** PEM. */
  readonly authority: string | undefined;
}

/**
 * Puts the files of a driver into a bucket, each under its SHA-256 and none that is there, and signs the URLs with which its pod
 * gets them. What is in the bucket stays: other submissions have the same files.
 *
 * @throws SUBMIT_ERR_STAGING_S3, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_INTERRUPTED
 */
export async function carryByS3(call: CarryCall): Promise<Carried> {
  const { localized, signal } = call;
  const buckets = openBuckets(call);
  try {
    await putMissing(call, buckets);
    const urls = await signAll(call, buckets);
    const { entries } = localized;
    const data = contents(call, buckets, { entries, urls });
    return { data, withdraw: async () => [], close: () => {} };
  } catch (error) {
    throw signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  } finally {
    buckets.own.close();
    buckets.ofPods.close();
  }
}

function openBuckets({ host, driver }: CarryCall): Buckets {
  const { conf } = driver;
  const { bucket = "", prefix = "" } = conf.get(stagingS3Path) ?? {};
  const endpoint = conf.get(stagingS3Endpoint);
  const authority = readNamedFile(host, driver, stagingS3Authority);
  const isPathStyle = conf.get(stagingS3PathStyle);
  const settings = { bucket, region: conf.get(stagingS3Region), isPathStyle, authority };
  return {
    own: openByAwsTools(host, { ...settings, endpoint }),
    ofPods: openByAwsTools(host, { ...settings, endpoint: conf.get(stagingS3PodEndpoint) ?? endpoint }),
    ...{ prefix, authority },
  };
}

const filesAtOnce = 4;
/** What was used so long ago is renewed, so that no rule of the bucket takes away what is about to be fetched. */
const renewAfterMs = 24 * 3600_000;

async function putMissing({ host, localized, signal }: CarryCall, { own, prefix }: Buckets): Promise<void> {
  const distinct = [...new Map(localized.entries.map((entry) => [entry.digest, entry])).values()];
  const transfer = showProgress(host).transfer("files of this machine");
  const limited = limiter(filesAtOnce);
  const sent = new Map<string, number>();
  let totalBytes = 0;
  const put = async (entry: LocalizedEntry, inner: AbortSignal) => {
    const { path, digest, size } = entry;
    const key = keyOf(prefix, entry);
    try {
      const found = await own.info(key, { signal: inner });
      if (found?.sizeBytes === size) {
        if (host.clock.now() - found.modifiedMs > renewAfterMs) await own.renew(key).catch(() => {});
        return;
      }
      totalBytes += size;
      const onProgress = (bytes: number) => {
        sent.set(key, bytes);
        transfer.update(
          [...sent.values()].reduce((sum, some) => sum + some, 0),
          totalBytes,
        );
      };
      await putFile(host, own, { path, sizeBytes: size, key, digest, signal: inner, onProgress });
    } catch (error) {
      inner.throwIfAborted();
      if (isSubmitError(error)) throw error;
      const reason = messageOf(error);
      throw submitError("SUBMIT_ERR_STAGING_S3", { bucket: own.shown, path, reason }, { cause: error });
    }
  };
  try {
    const actions = distinct.map((entry) => (inner: AbortSignal) => limited(() => put(entry, inner)));
    await together(signal, actions);
  } finally {
    transfer.end();
  }
}

function keyOf(prefix: string, { digest }: LocalizedEntry): string {
  const hex = digest.slice("sha256:".length);
  return `${prefix}sha256/${hex.slice(0, 2)}/${hex.slice(2)}`;
}

function signAll({ driver, localized }: CarryCall, { ofPods, prefix }: Buckets): Promise<readonly string[]> {
  const seconds = Math.floor(driver.conf.get(stagingS3UrlLife) / 1000);
  return Promise.all(localized.entries.map((entry) => ofPods.presign(keyOf(prefix, entry), seconds)));
}

/** Of the objects whose content nobody knew before. */
function contents(
  { driver, localized }: CarryCall,
  { authority }: Buckets,
  { entries, urls }: { readonly entries: readonly LocalizedEntry[]; readonly urls: readonly string[] },
): Carried["data"] {
  const { configMap, secret } = localizingNames(driver);
  const authorityFile = authority === undefined ? {} : { authorityFile: localizingPath("authority") };
  const config: LocalizeConfig = {
    directory: localized.directory,
    sources: [
      {
        kind: "signed",
        urlsFile: localizingPath("urls"),
        entries: entries.map(({ path: _, ...entry }) => entry),
        ...authorityFile,
      },
    ],
  };
  return {
    [`ConfigMap/${configMap}`]: {
      [localizingFiles.config]: JSON.stringify(config, undefined, 2),
      ...(authority === undefined ? {} : { [localizingFiles.authority]: authority }),
    },
    [`Secret/${secret}`]: { [localizingFiles.urls]: Buffer.from(JSON.stringify(urls)).toString("base64") },
  };
}
