import type { TlsOptions } from "node:tls";
import type { Access } from "./access/access.ts";
import type { Leader } from "./cleaner/leader.ts";
import type { Owners } from "./cleaner/owners.ts";
import type { Store } from "./store/open-store.ts";

/** How a staging server is to be; everything is decided already. */
export interface StagingServerOptions {
  readonly version: string;
  /** The address that it listens on. */
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly store: Store;
  /** Which of several servers over one store cleans it. */
  readonly leader: Leader;
  /** Folder of the signing keys. @default one of the store */
  readonly keys?: string | undefined;
  /** How pods reach it, if that is another address than the client's. */
  readonly internalUrl?: string | undefined;
  readonly access: Access;
  readonly owners: Owners;
  readonly limits: StagingLimits;
  readonly times: StagingTimes;
  readonly tls?: TlsSource | undefined;
}

/** Sizes in bytes; `undefined`: no limit. */
export interface StagingLimits {
  readonly maxBlobBytes?: number | undefined;
  readonly maxBundleBytes?: number | undefined;
  readonly maxNamespaceBytes?: number | undefined;
  /** What is to stay free on the disk. */
  readonly minFreeBytes: number;
}

/** All in ms. */
export interface StagingTimes {
  /** How long a bundle stays whose owner was never seen. */
  readonly initialExpiryMs: number;
  /** How long it stays after an owner was seen last. */
  readonly leaseMs: number;
  /** How long it stays after all its owners have ended. */
  readonly retentionMs: number;
  /** Owners that were there must be missing at two looks so far apart. */
  readonly absenceMs: number;
  /** From one look at the owners to the next. */
  readonly cleanEveryMs: number;
  /** Contents that nobody needs stay so long all the same. */
  readonly graceMs: number;
  /** Uploads with which nobody goes on. */
  readonly uploadIdleMs: number;
  /** A body of which nothing comes. */
  readonly bodyIdleMs: number;
  readonly tokenMs: number;
  /** How long running requests may take when the server ends. */
  readonly drainMs: number;
}

/** Where certificate and key come from, time and again. */
export interface TlsSource {
  /** What is the case now. @throws Error that says why it cannot be used */
  readonly read: () => TlsOptions;
  readonly reloadEveryMs: number;
}
