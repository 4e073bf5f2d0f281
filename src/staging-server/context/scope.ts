import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { ByteBudget } from "../store/byte-budget.ts";
import type { Store } from "../store/open-store.ts";
import type { SigningKeys } from "../store/signing-keys.ts";
import type { ServerHealth } from "./health.ts";
import type { Leader } from "./leader.ts";
import type { StagingMetrics } from "./metrics.ts";
import type { StagingServerOptions } from "./options.ts";
import type { RecordChanges } from "./record-changes.ts";

/** Dependencies of the whole server. */
export interface ServerScope {
  readonly host: Pick<Host, "files" | "clock" | "random">;
  readonly options: StagingServerOptions;
  readonly store: Store;
  readonly changes: RecordChanges;
  readonly keys: SigningKeys;
  readonly metrics: StagingMetrics;
  readonly log: ServerLog;
  /** For failures that many requests have at the same time. */
  readonly limitedLog: ServerLog;
  readonly leader: Leader;
  readonly health: ServerHealth;
  /** Memory budget for JSON bodies. */
  readonly bodies: ByteBudget;
}
