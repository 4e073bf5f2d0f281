import type { TlsSource } from "../../http/tls/tls-source.ts";
import type { Store } from "../store/open-store.ts";
import type { Access } from "./access.ts";
import type { Leader } from "./leader.ts";
import type { Owners } from "./owners.ts";

/** Options of a staging server, with all defaults applied. */
export interface StagingServerOptions {
  readonly version: string;
  /** Address to listen on. */
  readonly address: string;
  /** 0: any free port. */
  readonly port: number;
  readonly store: Store;
  /** Election of the one server that cleans a shared store. */
  readonly leader: Leader;
  /** Directory of the signing keys. @default a directory of the store */
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
  /** Minimum time between two views without a known owner before its bundle is removed. */
  readonly absenceMs: number;
  /** Interval between cleanups. */
  readonly cleanEveryMs: number;
  /** Retention time of contents that no bundle references. */
  readonly graceMs: number;
  /** Retention time of uploads that receive no data. */
  readonly uploadIdleMs: number;
  /** Idle timeout of a request's body. */
  readonly bodyIdleMs: number;
  /** Lifetime of tokens. */
  readonly tokenMs: number;
  /** Time limit for running requests when the server stops. */
  readonly drainMs: number;
}
