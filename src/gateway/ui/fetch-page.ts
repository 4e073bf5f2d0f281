import { messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { uiPortOf } from "../../masters/kubernetes/watch/ui-port.ts";
import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import { textResponse } from "../http/text-response.ts";
import type { GatewayApplication } from "../model/application.ts";
import { type DriverRequest, fetchFromDriver } from "./fetch-from-driver.ts";
import { clientHeaders, driverHeaders } from "./proxied-headers.ts";

/** Access to the drivers in the cluster. */
export interface DriverAccess {
  readonly client: Pick<KubeClient, "connectToPod" | "get">;
  readonly clock: Pick<Clock, "after">;
}

/** A page of a Spark UI. */
export interface UiPage {
  readonly application: GatewayApplication;
  readonly method: DriverRequest["method"];
  /** Path of the UI at its server, with which the links in its pages begin. */
  readonly base: string;
  /** Path in the UI. */
  readonly path: string;
  /** @default none */
  readonly body?: Uint8Array;
}

/** Paths with which Spark ends jobs and stages. */
export const killForm = /\/kill/i;

/** Fetches a page from a driver. The response has status 502 if the driver does not respond. */
export async function fetchUiPage(
  { client, clock }: DriverAccess,
  { query, headers: requested, signal }: Pick<GatewayRequest, "query" | "headers" | "signal">,
  { application, method, base, path, body }: UiPage,
): Promise<GatewayResponse> {
  const { namespace, podName: name, key } = application.record;
  try {
    const pod = await client.get<Pod>({ type: resourceTypes.pod, namespace, name });
    const suffix = query.size === 0 ? "" : `?${query}`;
    const request = { namespace, pod: name, port: uiPortOf(pod), method, path: `${path}${suffix}`, signal, body };
    const headers = driverHeaders(requested, base);
    const response = await fetchFromDriver({ client, clock }, { ...request, headers });
    return { status: response.status, headers: clientHeaders(response.headers, base), body: response.body };
  } catch (error) {
    return textResponse(502, `The Spark UI of application ${key} does not respond: ${messageOf(error)}`);
  }
}
