import type { SparkSources } from "./images/local-images.ts";
import type { StorageOptions } from "./journal/journal.ts";
import type { NetworkName } from "./pods/network/pod-network.ts";
import type { SandboxSelection } from "./sandbox/choose-sandbox.ts";

/** Options of an embedded cluster. */
export interface ClusterOptions extends SparkSources {
  /** Directory for pods, logs, keys and the kubeconfig; made 0700. */
  readonly directory: string;
  /** Only the API and its controllers: nothing schedules or runs pods. */
  readonly apiOnly: boolean;
  readonly sandbox: SandboxSelection;
  /** Network of the pods: one each, if this machine allows it, or this machine's. @default "pod" */
  readonly network?: NetworkName | undefined;
  /**
   * Variables for the containers of Spark images when drivers that Apache's client submits cannot reach the API at `url`: they
   * use port 443, which requires privileges to open.
   */
  readonly withoutDriversPort?: (url: string) => Readonly<Record<string, string>>;
  /** Persistent storage; default: nothing survives the process except what other processes hold. */
  readonly storage?: StorageOptions | undefined;
  /** Directories of this machine that `hostPath` volumes may mount, with their subdirectories. @default home, temporary files, Firesteel's cache */
  readonly hostPathRoots?: readonly string[] | undefined;
  /** Whether the node has a shuffle service, which an annotation shows. @default false */
  readonly hasShuffleService?: boolean;
  /** Whether the requests of all pods may exceed this machine's resources; one pod's must not. @default true */
  readonly overcommits?: boolean;
  /** Listening port; default: free. `host` is a loopback address; default: the first free 127.90.x.1. */
  readonly port?: number;
  readonly address?: string;
}
