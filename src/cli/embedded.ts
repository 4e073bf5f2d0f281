import type { Host } from "../host/host.ts";

/** A way into the embedded cluster: all that a submission to `k8s://embedded` needs to know of it. */
export interface EmbeddedConnection {
  /** Of the API server, e.g. `https://127.90.0.1:40123`. */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Where a driver finds the API server: pods have no DNS that could serve `kubernetes.default.svc`. */
  readonly driverMaster: string;
  /** What the submission gets where its user says nothing. */
  readonly defaults: {
    /** Container image, e.g. `spark:4.3.0`. */
    readonly image: string;
    /** The driver's service account, which may create executors. */
    readonly serviceAccountName: string;
  };
  /** `background`: started by `firesteel cluster start`; `inside`: in this process, and gone after `close`. */
  readonly place: "background" | "inside";
  /** Which sandbox runs the pods: `bwrap`, `unshare`, `process`. */
  readonly sandbox: string;
  /** Lets go of a background cluster; ends an inside one and its pods. May be called twice. */
  readonly close: () => Promise<void>;
}

/** What a submission wants of the embedded cluster. */
export interface EmbeddedOptions {
  /** Release or line of Spark that the pods run, e.g. `4.3.0` or `4.3`. @default the local Spark, else the newest known */
  readonly sparkVersion?: string | undefined;
}

/**
 * Opens the embedded cluster: the background one if it is alive, else one inside this process.
 *
 * An inside cluster needs a Spark and a Java; what the machine lacks is fetched, with progress on stderr.
 *
 * @throws SubmitError `SUBMIT_ERR_SPARK_…`, `SUBMIT_ERR_JAVA_…`, and what starting a cluster throws.
 */
export async function openEmbedded(host: Host, options: EmbeddedOptions = {}): Promise<EmbeddedConnection> {
  throw new Error(`not yet: ${host.pid} ${String(options.sparkVersion)}`);
}
