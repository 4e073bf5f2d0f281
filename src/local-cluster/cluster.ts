import type { Transport } from "../kube/transport.ts";

/** How an embedded cluster is to run. */
export interface ClusterOptions {
  /** Folder for pods, logs, keys and the kubeconfig; made 0700. */
  readonly directory: string;
  /** Only the API and its controllers: nothing schedules or runs pods. */
  readonly apiOnly: boolean;
  /** Default `auto`: bwrap, else unshare, else process. */
  readonly sandbox: "auto" | "bwrap" | "unshare" | "process" | "fake";
  /** Homes of the Spark distributions that images may name, and the Java for them. */
  readonly sparks: readonly { readonly version: string; readonly home: string }[];
  readonly javaHome: string | undefined;
  /** Listening port; default: free. `host` is a loopback address; default: the first free 127.90.x.1. */
  readonly port?: number;
  readonly address?: string;
}

/** A running embedded cluster. */
export interface EmbeddedCluster {
  /** E.g. `https://127.90.0.1:40123`; what pods and clients use. */
  readonly url: string;
  /** The API without a socket, as the administrator. */
  readonly transport: Transport;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** YAML. */
  readonly kubeconfig: string;
  /** Which sandbox runs pods. */
  readonly sandbox: string;
  /** Ends all pods, then the server. */
  readonly stop: () => Promise<void>;
}
