import type { Transport } from "../kube/transport.ts";
import type { Chaos } from "./chaos/chaos.ts";
import type { NetworkName } from "./pods/network/pod-network.ts";

/** A running embedded cluster. */
export interface EmbeddedCluster {
  /** URL of the API for pods and clients, e.g. `https://127.90.0.1:40123`. */
  readonly url: string;
  /** The API without a socket, with the administrator's token. */
  readonly transport: Transport;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** YAML. */
  readonly kubeconfig: string;
  /** Name of the sandbox that runs pods. */
  readonly sandbox: string;
  /** Network of the pods; `none` without a node. */
  readonly network: NetworkName | "none";
  /** Name by which pods reach servers at this machine's 127.0.0.1; `undefined` if pods share this machine's loopback. */
  readonly machineName: string | undefined;
  /** Fault injection for tests. */
  readonly chaos: Chaos;
  /** Notices for users, e.g. about repaired files or why pods are not isolated. */
  readonly notices: readonly string[];
  /** Stops all pods, then the server. */
  readonly stop: () => Promise<void>;
}
