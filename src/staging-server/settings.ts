import type { BucketSettings } from "../s3/open-bucket-with-aws-config.ts";
import type { StagingLimits, StagingTimes } from "./options.ts";
import type { TlsSettings } from "./tls/tls-settings.ts";

/** Settings that the operator has specified; paths are absolute. */
export interface StagingServerSettings {
  readonly version: string;
  readonly address: string;
  readonly port: number;
  readonly store: StoreSettings;
  /** By which several servers over one store agree who cleans it: `name` or `namespace/name`. */
  readonly lease?: string | undefined;
  readonly keys?: string | undefined;
  readonly internalUrl?: string | undefined;
  /** Access mode: accounts that can create pods, or any client. */
  readonly auth: "kubernetes" | "none";
  /** Whether bundles stay as long as their owners do, or until their time is over. */
  readonly owners: "kubernetes" | "none";
  readonly cluster: ClusterSettings;
  readonly limits: StagingLimits;
  readonly times: StagingTimes;
  readonly tls: TlsSettings;
}

/** Location of the store. */
export type StoreSettings =
  | { readonly kind: "folder"; readonly folder: string }
  | ({ readonly kind: "s3"; readonly prefix: string; readonly authorityFile?: string | undefined } & Omit<
      BucketSettings,
      "authority"
    >);

/** The cluster that knows callers and owners, and who we are there. */
export interface ClusterSettings {
  readonly server: string;
  /** In the name of which the five below were set, for messages. */
  readonly settingPrefix: string;
  readonly caCertFile?: string | undefined;
  readonly clientKeyFile?: string | undefined;
  readonly clientCertFile?: string | undefined;
  readonly oauthToken?: string | undefined;
  readonly oauthTokenFile?: string | undefined;
  readonly usesServiceAccount: boolean;
}
