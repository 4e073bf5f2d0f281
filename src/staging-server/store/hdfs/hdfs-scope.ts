import type { WebHdfs } from "../../../hadoop/webhdfs.ts";
import type { Host } from "../../../host/host.ts";
import type { ByteBudget } from "../byte-budget.ts";
import type { StoreLayout } from "../layout.ts";

/** Dependencies and shared state of a store in an HDFS. */
export interface HdfsScope {
  readonly host: Pick<Host, "clock" | "random">;
  readonly hdfs: WebHdfs;
  readonly layout: StoreLayout;
  /** Memory budget for bytes in transit. */
  readonly memory: ByteBudget;
}

/** Permissions of the store, in octal. */
export const storePermissions = { file: "600", directory: "700" } as const;
