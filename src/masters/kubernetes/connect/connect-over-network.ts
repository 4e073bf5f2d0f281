import type { Host } from "../../../host/host.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { ConnectOptions } from "../../../kube-client/connect-options.ts";

/** Opens a way to an API. */
export type OpenClient = (host: Host, options: ConnectOptions) => Promise<KubeClient>;

/** The way over the network, loaded only where it is taken. */
export const connectOverNetwork: OpenClient = async (host, options) => {
  const { connect } = await import("../../../kube-client/connect.ts");
  return connect(host, options);
};
