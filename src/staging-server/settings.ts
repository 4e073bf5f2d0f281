import type { BucketSettings } from "../s3/open-bucket-with-aws-config.ts";
import type { StagingLimits, StagingTimes } from "./context/options.ts";
import type { HdfsStoreLocation } from "./store/hdfs/connect-hdfs-store.ts";
import type { TlsSettings } from "./tls/tls-settings.ts";

/** Settings that the operator has specified; paths are absolute. */
export interface StagingServerSettings {
  readonly version: string;
  readonly address: string;
  readonly port: number;
  readonly store: StoreSettings;
  /** Lease by which the servers of a shared store elect the cleaner: `name` or `namespace/name`. */
  readonly lease?: string | undefined;
  /** Time without a renewal after which another server acquires the Lease. */
  readonly leaseDurationMs: number;
  readonly keys?: string | undefined;
  readonly internalUrl?: string | undefined;
  /** Access mode: accounts that can create pods, or any client. */
  readonly auth: "kubernetes" | "none";
  /** Whether bundles are kept as long as their owners exist, or until they expire. */
  readonly owners: "kubernetes" | "none";
  readonly cluster: ClusterSettings;
  readonly limits: StagingLimits;
  readonly times: StagingTimes;
  readonly tls: TlsSettings;
}

/** Location of the store. */
export type StoreSettings =
  | { readonly kind: "directory"; readonly directory: string }
  | ({ readonly kind: "hdfs" } & HdfsStoreLocation)
  | ({ readonly kind: "s3"; readonly prefix: string; readonly authorityFile?: string | undefined } & Omit<
      BucketSettings,
      "authority"
    >);

/** Cluster that authenticates callers and runs owners, and the server's credentials there. */
export interface ClusterSettings {
  readonly server: string;
  /** Prefix of the keys that set the following five fields, for messages. */
  readonly settingPrefix: string;
  readonly caCertFile?: string | undefined;
  readonly clientKeyFile?: string | undefined;
  readonly clientCertFile?: string | undefined;
  readonly oauthToken?: string | undefined;
  readonly oauthTokenFile?: string | undefined;
  readonly usesServiceAccount: boolean;
}
