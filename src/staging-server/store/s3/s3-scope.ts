import type { Host } from "../../../host/host.ts";
import type { Bucket } from "../../../s3/bucket.ts";
import type { StoreLayout } from "../layout.ts";
import type { ByteBudget } from "./byte-budget.ts";

/** Layout of a store in a bucket, and its client. */
export interface S3Scope {
  readonly host: Pick<Host, "clock" | "random">;
  readonly bucket: Bucket;
  readonly layout: StoreLayout;
  /** Whether the bucket writes under conditions; else several servers may overwrite each other's notes. */
  readonly isConditional: boolean;
  /** Memory budget for bytes in transit. */
  readonly memory: ByteBudget;
  /** Keys of contents that became blobs, until whoever received them knows. */
  readonly adopted: Set<string>;
}
