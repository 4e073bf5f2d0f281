import type { OpenClient } from "../../master-strategy.ts";

/** Opens a client over the network, whose code is loaded only here. */
export const connectOverNetwork: OpenClient = async (host, options) => {
  const { connect } = await import("../../../kube-client/connect.ts");
  return connect(host, options);
};
