import type { Host } from "../../host/host.ts";
import type { PodLogs } from "../api/pod-logs.ts";
import type { Store } from "../api/store.ts";
import type { ClusterOptions } from "../cluster.ts";
import type { Images } from "../images/image.ts";

/** What the node needs of the cluster that it belongs to. */
export interface NodeOptions {
  readonly host: Host;
  readonly store: Store;
  /** Folder for pods, their volumes and logs; exists, private to us. */
  readonly directory: string;
  /** Where pods reach the API; the address is `.1` of the cluster's /24, pods get `.2` to `.199`. */
  readonly api: { readonly address: string; readonly port: number };
  /** PEM, for `ca.crt` in pods whose namespace has no ConfigMap `kube-root-ca.crt`. */
  readonly certificateAuthority: string;
  readonly issueToken: (request: PodTokenRequest) => string;
  readonly images: Images;
  readonly sandbox: ClusterOptions["sandbox"];
  /** Host folders below which `hostPath` volumes may lie. @default the user's home and the temporary root */
  readonly hostPathRoots?: readonly string[];
}

/** Asks for a service account's token, bound to a pod. */
export interface PodTokenRequest {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly pod: { readonly name: string; readonly uid: string };
  /** Empty: the API's own audience. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** The one node of the embedded cluster: its scheduler, its kubelet, its names. */
export interface Node {
  readonly logs: PodLogs;
  /** Which sandbox runs pods. */
  readonly sandboxName: string;
  /** Kills all pods' processes and removes their folders; objects stay as they are. */
  readonly stop: () => Promise<void>;
}

/** Registers the node, schedules pods on it and runs them. */
export type StartNode = (options: NodeOptions) => Promise<Node>;
