/** Options of an embedded cluster. */
export interface ClusterOptions {
  /** Directory for pods, logs, keys and the kubeconfig; made 0700. */
  readonly directory: string;
  /** Only the API and its controllers: nothing schedules or runs pods. */
  readonly apiOnly: boolean;
  /** Default `auto`: bwrap, else unshare, else process. */
  readonly sandbox: "auto" | "bwrap" | "unshare" | "process" | "fake";
  /** Homes of the Spark distributions that images may name, and the Java for them. */
  readonly sparks: readonly { readonly version: string; readonly home: string }[];
  readonly javaHome: string | undefined;
  /** Gets a release (`4.0.1`) or the newest of a line (`4.0`) for an image that requires it. @throws SubmitError */
  readonly fetchSpark?: (version: string) => Promise<{ readonly version: string; readonly home: string }>;
  /**
   * Variables for the containers of Spark images when drivers that Apache's client submits cannot reach the API at `url`: they
   * use port 443, which requires privileges to open.
   */
  readonly withoutDriversPort?: (url: string) => Readonly<Record<string, string>>;
  /** Persistent storage; default: nothing survives the process except what other processes hold. */
  readonly storage?: StorageOptions | undefined;
  /** Directories of this machine that `hostPath` volumes may mount, with their subdirectories. @default home, temporary files, Firesteel's cache */
  readonly hostPathRoots?: readonly string[] | undefined;
  /** Whether the requests of all pods may exceed this machine's resources; one pod's must not. @default true */
  readonly overcommits?: boolean;
  /** Directory that pods of Spark images mount read-only at the same path; created if missing. */
  readonly uploads?: string;
  /** Listening port; default: free. `host` is a loopback address; default: the first free 127.90.x.1. */
  readonly port?: number;
  readonly address?: string;
}

/** Options of storing objects, keys and claims in the cluster's directory. */
export interface StorageOptions {
  /** When to sync writes to disk: before each response, within a second, or when the operating system decides. */
  readonly sync: "always" | "interval" | "never";
  /** Whether to move corrupt files aside and keep their readable content, instead of rejecting them. */
  readonly repairs: boolean;
}
