import type { TlsOptions } from "node:tls";
import type { Access } from "./access/access.ts";
import type { Leader } from "./leader.ts";
import type { Owners } from "./owners.ts";
import type { Store } from "./store/open-store.ts";

/** Options of a staging server, with all defaults applied. */
export interface StagingServerOptions {
  readonly version: string;
  /** The address that it listens on. */
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly store: Store;
  /** Election of the one server that cleans a shared store. */
  readonly leader: Leader;
  /** Folder of the signing keys. @default one of the store */
  readonly keys?: string | undefined;
  /** Address for pods, if it differs from the client's. */
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
  /** Free space to leave on the disk. */
  readonly minFreeBytes: number;
}

/** All in ms. */
export interface StagingTimes {
  /** Retention time of a bundle whose owner was never seen. */
  readonly initialExpiryMs: number;
  /** Retention time after an owner was last seen. */
  readonly leaseMs: number;
  /** Retention time after all owners have ended. */
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
  /** Time limit for running requests when the server stops. */
  readonly drainMs: number;
}

/** Reloadable source of certificate and key. */
export interface TlsSource {
  /** Reads the current certificate and key. @throws Error with the reason why they cannot be used */
  readonly read: () => TlsOptions;
  readonly reloadEveryMs: number;
}
