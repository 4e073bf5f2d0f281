import type { Host } from "../../../../host/host.ts";
import type { Upload } from "../../../../plan/uploads.ts";
import { type Bucket, openBucket } from "../../../../s3/bucket.ts";
import { putFile } from "../../../../s3/put-file.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import { filesOf } from "./files-of.ts";
import { s3aHeaders } from "./s3a-headers.ts";
import { s3aAddress, s3aProperties } from "./s3a-settings.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Opens buckets with the settings of Hadoop's S3A file system, without its classes. */
export function s3aTarget(host: Host, conf: HadoopConf): UploadTarget {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (name: string) => {
    const bucket = buckets.get(name) ?? openBucket(host, s3aAddress(host, conf, name));
    buckets.set(name, bucket);
    return bucket;
  };
  return {
    async connect(directory) {
      const { bucket, key } = locationOf(directory);
      // Needs the credentials, and sends no request to the bucket.
      await bucketOf(bucket).presign(key, 1);
    },
    async upload(upload, { signal, onProgress }) {
      const { bucket, key } = locationOf(upload.directory);
      const headers = s3aHeaders(s3aProperties(conf, bucket));
      let doneBytes = 0;
      for (const { path, sizeBytes, below } of filesOf(host.files, upload.path)) {
        await putFile(host, bucketOf(bucket), {
          ...{ path, sizeBytes, key: `${key}/${upload.name}${below}`, headers, signal },
          onProgress: (bytes) => onProgress(doneBytes + bytes),
        });
        doneBytes += sizeBytes;
      }
    },
    open(directory, name) {
      const { bucket, key } = locationOf(directory);
      return bucketOf(bucket).open(`${key}/${name}`);
    },
    async remove(directory) {
      const { bucket, key } = locationOf(directory);
      for await (const object of bucketOf(bucket).list(`${key}/`)) await bucketOf(bucket).remove(object.key);
    },
    close() {
      for (const bucket of buckets.values()) bucket.close();
    },
  };
}

/** Parses a URI as Hadoop does: repeated slashes become one. */
function locationOf(directory: Upload["directory"]): { readonly bucket: string; readonly key: string } {
  const [, bucket = "", path = ""] = /^[^:]+:\/\/([^/]*)(.*)$/.exec(directory) ?? [];
  if (bucket === "") throw new Error(`${directory} does not name a bucket`);
  return { bucket, key: path.replace(/\/+/g, "/").replace(/^\/|\/$/g, "") };
}
