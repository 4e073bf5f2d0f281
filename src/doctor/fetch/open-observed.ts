import type { Host } from "../../host/host.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { connect } from "../../kube-client/connect.ts";
import type { ConnectOptions } from "../../kube-client/connect-options.ts";
import { httpTransport } from "../../kube-client/http.ts";

/** Credentials that a connection sent, and the time of the server. */
export interface ObservedConnection {
  /** Bearer token of the last request. */
  token?: string | undefined;
  /** Client certificate in PEM. */
  certificate?: string | undefined;
  /** Difference between the clock of the API and this machine, in ms. */
  clockSkewMs?: number | undefined;
}

/** Connects to an API, and notes the credentials that it gets. */
export async function openObserved(
  host: Host,
  options: ConnectOptions,
): Promise<{ readonly client: KubeClient; readonly observed: ObservedConnection }> {
  const observed: ObservedConnection = {};
  const client = await connect(host, options, async (connection) => {
    observed.certificate = connection.tls.certificate;
    const opened = await httpTransport(connection);
    return {
      ...opened,
      async transport(request) {
        observed.token = /^Bearer (.*)$/.exec(request.headers["authorization"] ?? "")?.[1];
        const response = await opened.transport(request);
        const serverTime = Date.parse(response.headers["date"] ?? "");
        if (!Number.isNaN(serverTime)) observed.clockSkewMs = serverTime - host.clock.now();
        return response;
      },
    };
  });
  return { client, observed };
}
