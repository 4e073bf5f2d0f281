import type { Setting } from "../conf/setting.ts";
import type { SparkVersion } from "../conf/spark-version.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { KubernetesMaster } from "../plan/master.ts";
import type { ClusterAccess } from "../plan/submit-request.ts";
import type { ReadSettings } from "./read-settings.ts";

/** An open embedded cluster. */
export interface EmbeddedCluster extends Omit<ClusterAccess, "master"> {
  /** URL of the API server. */
  readonly url: string;
  /** Name by which pods reach servers at this machine's 127.0.0.1; `undefined` if pods share this machine's loopback. */
  readonly machineName: string | undefined;
  /** Defaults of settings that the user does not specify. */
  readonly defaults: {
    readonly image: string;
    readonly serviceAccountName: string;
    /** Directory of this machine that the pods see at the same path. */
    readonly uploadPath: string;
    /** Directory of this machine for event logs, which the pods see at the same path and can write. @default none */
    readonly eventLogs?: string | undefined;
  };
  /** Returns the setting with which the cluster archives a driver in a location. @default the client that waits archives it */
  readonly archiveSetting?: ((location: string) => Promise<Setting | undefined>) | undefined;
}

/** Opens an embedded cluster for the specified version of Spark. */
export type OpenEmbedded = (options: {
  readonly sparkVersion: string | undefined;
  /** @default `default` */
  readonly name?: string | undefined;
}) => Promise<EmbeddedCluster>;

/** Inputs of the destination of a submission. */
export interface Destination {
  readonly host: Host;
  readonly master: KubernetesMaster;
  readonly read: ReadSettings;
  readonly version: SparkVersion;
  readonly openEmbedded?: OpenEmbedded | undefined;
  /** @default no warnings */
  readonly log?: Log | undefined;
}

/** Master of a submission with its credentials; for the embedded cluster also with its defaults. */
export interface Entered {
  readonly master: KubernetesMaster;
  readonly access: ClusterAccess | undefined;
  readonly settings: ReadonlyMap<string, Setting>;
  readonly version: SparkVersion;
}
