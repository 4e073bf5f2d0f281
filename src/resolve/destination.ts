import type { Setting } from "../conf/setting.ts";
import type { SparkVersion } from "../conf/spark-version.ts";
import type { Host } from "../host/host.ts";
import type { KubernetesMaster } from "../plan/master.ts";
import type { ClusterAccess } from "../plan/submit-request.ts";
import type { ReadSettings } from "./read-settings.ts";

/** The cluster of this package, once it is open. */
export interface EmbeddedCluster extends ClusterAccess {
  /** Of the API server. */
  readonly url: string;
  /** What a submission gets where its user says nothing. */
  readonly defaults: {
    readonly image: string;
    readonly serviceAccountName: string;
    /** A folder of this machine that its pods see at the same path. */
    readonly uploadPath: string;
  };
}

/** Opens the embedded cluster, for a version of Spark if one was told. */
export type OpenEmbedded = (options: {
  readonly sparkVersion: string | undefined;
}) => Promise<EmbeddedCluster>;

/** A submission, as far as it concerns where it goes. */
export interface Destination {
  readonly host: Host;
  readonly master: KubernetesMaster;
  readonly read: ReadSettings;
  readonly version: SparkVersion;
  readonly openEmbedded?: OpenEmbedded | undefined;
}

/** The same, with the embedded cluster open and its defaults among the settings, if that is the master. */
export interface Entered {
  readonly master: KubernetesMaster;
  readonly access: ClusterAccess | undefined;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly version: SparkVersion;
}
