import type { Host } from "../../../host/host.ts";
import type { Bucket } from "../../../s3/bucket.ts";
import type { ByteBudget } from "../byte-budget.ts";
import type { StoreLayout } from "../layout.ts";

/** Dependencies and shared state of a store in a bucket. */
export interface S3Scope {
  readonly host: Pick<Host, "clock" | "random">;
  readonly bucket: Bucket;
  readonly layout: StoreLayout;
  /** Whether the bucket supports conditional writes. If not, several servers may overwrite each other's records. */
  readonly isConditional: boolean;
  /** Memory budget for bytes in transit. */
  readonly memory: ByteBudget;
  /** Keys of contents that became blobs, until their uploads end. Such contents must not be removed with the upload. */
  readonly adopted: Set<string>;
}
