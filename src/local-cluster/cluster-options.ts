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
