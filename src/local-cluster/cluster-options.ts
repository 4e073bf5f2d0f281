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
  /** Gets a release (`4.0.1`) or the newest of a line (`4.0`) for an image that wants it. @throws SubmitError */
  readonly fetchSpark?: (version: string) => Promise<{ readonly version: string; readonly home: string }>;
  /**
   * Variables for the containers of Spark images when drivers of Apache's client would look for the API at `url` in
   * vain: they ask port 443, which only the privileged may open.
   */
  readonly withoutDriversPort?: (url: string) => Readonly<Record<string, string>>;
  /** What survives the process; default: nothing but what other processes hold. */
  readonly storage?: StorageOptions | undefined;
  /** Folders of this machine that `hostPath` volumes may show, with all below them. @default home, temporary files, our cache */
  readonly hostPathRoots?: readonly string[] | undefined;
  /** Whether pods together may ask for more than this machine has; none alone may. @default true */
  readonly overcommits?: boolean;
  /** A folder that pods of Spark images see at its own path, read-only; made when it lacks. */
  readonly uploads?: string;
  /** Listening port; default: free. `host` is a loopback address; default: the first free 127.90.x.1. */
  readonly port?: number;
  readonly address?: string;
}

/** How a cluster keeps its objects, keys and claims in its directory. */
export interface StorageOptions {
  /** When the disk has to have what was written: before a request is answered, within a second, or when the system likes to. */
  readonly sync: "always" | "interval" | "never";
  /** Damaged files are put aside, and what can be read of them is kept; otherwise they are refused. */
  readonly repairs: boolean;
}
