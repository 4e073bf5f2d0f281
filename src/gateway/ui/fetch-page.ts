import { messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { uiPortOf } from "../../masters/kubernetes/watch/ui-port.ts";
import { historyPath } from "../history/history-path.ts";
import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import { textResponse } from "../http/text-response.ts";
import type { GatewayApplication } from "../model/application.ts";
import {
  fetchFromDriver,
  fetchFromHistoryServer,
  type PageRequest,
  ResponseTimeout,
  type SparkResponse,
} from "./fetch-from-spark.ts";
import { clientHeaders, driverHeaders } from "./proxied-headers.ts";
import type { UiSource } from "./ui-links.ts";

/** Access to the web servers of Spark. */
export interface UiAccess {
  /** Access to the drivers in the cluster. */
  readonly client: Pick<KubeClient, "connectToPod" | "get">;
  readonly clock: Pick<Clock, "after">;
  /** Returns the port of the gateway's history server; `undefined` while it does not serve. */
  readonly historyPort: () => number | undefined;
}

/** A page of a Spark UI. */
export interface UiPage {
  readonly application: GatewayApplication;
  readonly source: UiSource;
  readonly method: PageRequest["method"];
  /** Path of the UI at its server, with which the links in its pages begin. */
  readonly base: string;
  /** Path in the UI. */
  readonly path: string;
  /** @default none */
  readonly body?: Uint8Array;
}

/** Paths with which Spark ends jobs and stages. */
export const killForm = /\/kill/i;

type PageCall = Pick<GatewayRequest, "query" | "headers" | "signal">;

/** Fetches a page from a driver or the history server. The response has status 502 or 503 if it does not respond. */
export function fetchUiPage(access: UiAccess, request: PageCall, page: UiPage): Promise<GatewayResponse> {
  return page.source === "driver" ? fetchDriverPage(access, request, page) : fetchHistoryPage(access, request, page);
}

function fetchDriverPage({ client, clock }: UiAccess, call: PageCall, page: UiPage): Promise<GatewayResponse> {
  const { namespace, podName: name } = page.application.record;
  return forward(page, async () => {
    const pod = await client.get<Pod>({ type: resourceTypes.pod, namespace, name });
    const target = { namespace, pod: name, port: uiPortOf(pod) };
    return fetchFromDriver({ client, clock }, { ...target, ...pageRequest(call, page) });
  });
}

async function fetchHistoryPage(
  { historyPort, clock }: UiAccess,
  call: PageCall,
  page: UiPage,
): Promise<GatewayResponse> {
  const { kind, path } = historyPath(page.application.record.appId ?? "", page.path);
  if (kind === "redirect") return textResponse(302, "", { location: `${page.base}${path}` });
  if (page.method === "POST") return textResponse(405, "The history server can only be read.", { allow: "GET, HEAD" });
  const port = historyPort();
  if (port === undefined) return textResponse(503, "The history server is starting.", { "retry-after": "5" });
  return forward(page, () => fetchFromHistoryServer(clock, port, pageRequest(call, page)));
}

function pageRequest({ query, headers, signal }: PageCall, { method, path, base, body }: UiPage): PageRequest {
  const suffix = query.size === 0 ? "" : `?${query}`;
  return { method, path: `${path}${suffix}`, headers: driverHeaders(headers, base), signal, ...(body && { body }) };
}

async function forward(
  { application, source, base }: UiPage,
  send: () => Promise<SparkResponse>,
): Promise<GatewayResponse> {
  try {
    const { status, headers, body } = await send();
    return { status, headers: clientHeaders(headers, base), body };
  } catch (error) {
    const { key } = application.record;
    if (source === "history" && error instanceof ResponseTimeout) {
      const message = `The history server is reading the event log of application ${key}. Load the page again.`;
      return textResponse(503, message, { "retry-after": "5" });
    }
    return textResponse(502, `The Spark UI of application ${key} does not respond: ${messageOf(error)}`);
  }
}
