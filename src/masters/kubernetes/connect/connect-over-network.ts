import type { Host } from "../../../host/host.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { ConnectOptions } from "../../../kube-client/connect-options.ts";

/** Opens a client of an API. @throws SUBMIT_ERR_KUBE_…, if credentials or certificates are invalid */
export type OpenClient = (host: Host, options: ConnectOptions) => Promise<KubeClient>;

/** Opens a client over the network, whose code is loaded only here. */
export const connectOverNetwork: OpenClient = async (host, options) => {
  const { connect } = await import("../../../kube-client/connect.ts");
  return connect(host, options);
};
