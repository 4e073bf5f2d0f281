import { stagingS3UrlLifetime } from "../../../../conf/entries/bucket.ts";
import type { SparkConf } from "../../../../conf/spark-conf.ts";
import type { Host } from "../../../../host/host.ts";
import { type Bucket, openBucket } from "../../../../s3/bucket.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import { s3aAddress, s3aProperties } from "../uploads/s3a-settings.ts";
import type { RemoteFileSystem } from "./remote-file-system.ts";

/** Opens buckets with the settings of Hadoop's S3A file system, to sign the URLs of their objects. */
export function remoteS3a(host: Host, hadoop: HadoopConf, conf: SparkConf): RemoteFileSystem {
  const seconds = Math.floor(conf.get(stagingS3UrlLifetime) / 1000);
  const buckets = new Map<string, Bucket>();
  const bucketOf = (name: string) => {
    const bucket = buckets.get(name) ?? openBucket(host, s3aAddress(host, hadoop, name));
    buckets.set(name, bucket);
    return bucket;
  };
  return {
    async urlsOf(uri, signal) {
      const [, name = "", path = ""] = /^s3a:\/\/([^/]*)\/+(.*)$/.exec(uri) ?? [];
      if (name === "" || path === "") throw new Error("it does not name a bucket and an object");
      if (s3aProperties(hadoop, name)("encryption.algorithm") === "SSE-C")
        throw new Error("fs.s3a.encryption.algorithm is SSE-C, and a URL cannot contain the key");
      const key = path.replace(/\/+/g, "/");
      const bucket = bucketOf(name);
      if ((await bucket.info(key, { signal })) === undefined) throw new Error("the object does not exist");
      return [await bucket.presign(key, seconds)];
    },
    close() {
      for (const bucket of buckets.values()) bucket.close();
    },
  };
}
