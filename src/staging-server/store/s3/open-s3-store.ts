import type { Host } from "../../../host/host.ts";
import type { Bucket } from "../../../s3/bucket.ts";
import { S3Error } from "../../../s3/s3-error.ts";
import { byteBudget } from "../byte-budget.ts";
import { storeLayout } from "../layout.ts";
import type { Store } from "../open-store.ts";
import type { SigningKeys } from "../signing-keys.ts";
import { openS3Blobs } from "./s3-blobs.ts";
import { openS3Bundles } from "./s3-bundles.ts";
import { openS3Keys } from "./s3-keys.ts";
import type { S3Scope } from "./s3-scope.ts";
import { openS3Uploads } from "./s3-uploads.ts";

/** Memory limit for bytes in transit to the bucket. */
const memoryBytes = 80 * 1024 * 1024;

/** A store in a bucket, and whether the bucket supports conditional writes. */
interface OpenedS3Store {
  readonly store: Store;
  /** If false, only one server may use the store. */
  readonly isConditional: boolean;
}

/** Opens the store below a prefix of a bucket. The prefix is empty or ends with a slash. @throws S3Error, Node's error */
export async function openS3Store(
  host: Pick<Host, "clock" | "random">,
  bucket: Bucket,
  prefix: string,
): Promise<OpenedS3Store> {
  const layout = storeLayout(prefix.replace(/\/$/, ""));
  const { clock, random } = host;
  const probe = async (work: (key: string) => Promise<boolean>) => {
    const key = `${layout.probes}/${random.uuid()}`;
    try {
      return await work(key);
    } finally {
      await bucket.remove(key).catch(() => {});
    }
  };
  const isConditional = await probe((key) => supportsConditions(bucket, key));
  const memory = byteBudget(clock, memoryBytes);
  const scope: S3Scope = { host, bucket, layout, isConditional, memory, adopted: new Set() };
  let keys: Promise<SigningKeys> | undefined;
  const store: Store = {
    layout,
    blobs: openS3Blobs(scope),
    bundles: openS3Bundles(scope),
    uploads: openS3Uploads(scope),
    freeBytes: () => Number.POSITIVE_INFINITY,
    async sweepTraces(ageMs) {
      const before = clock.now() - ageMs;
      for (const prefixPath of [layout.tombstones, layout.requests, layout.probes]) {
        for await (const { key, modifiedMs } of bucket.list(`${prefixPath}/`)) {
          if (modifiedMs <= before) await bucket.remove(key);
        }
      }
    },
    probe: async () => void (await probe((key) => bucket.put(key, "x"))),
    ownKeys() {
      keys ??= openS3Keys(scope);
      return keys;
    },
    close: () => bucket.close(),
  };
  return { store, isConditional };
}

/** Tests conditional writes. Some servers reject conditions, and some ignore them. @throws S3Error if the bucket is not writable */
async function supportsConditions(bucket: Bucket, key: string): Promise<boolean> {
  const condition = { ifAbsent: true } as const;
  try {
    return (await bucket.put(key, "1", { condition })) && !(await bucket.put(key, "2", { condition }));
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== "NotImplemented") throw error;
    // Check that the bucket is writable without conditions.
    await bucket.put(key, "1");
    return false;
  }
}
