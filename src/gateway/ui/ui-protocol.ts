import { uiProxyBaseKey } from "../../conf/entries/spark-ui.ts";
import { messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { uiPortOf } from "../../masters/kubernetes/watch/ui-port.ts";
import { percentDecoded } from "../../values/percent-decoding.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";
import { fetchFromDriver } from "./fetch-from-driver.ts";
import { clientHeaders, driverHeaders } from "./proxied-headers.ts";
import { type LinksOf, uiPath } from "./ui-links.ts";

interface UiScope {
  readonly client: Pick<KubeClient, "connectToPod" | "get">;
  readonly clock: Pick<Clock, "after">;
  readonly applications: Pick<Applications, "get" | "find">;
  readonly links: LinksOf;
  /** Path at which the UIs are served, without a slash at its end. */
  readonly root: string;
}

/** A Spark UI, and the path in it. */
interface UiTarget {
  readonly application: GatewayApplication;
  /** Path of the UI without the root. */
  readonly base: string;
  readonly path: string;
}

const keyForm = /^\/applications\/([^/]+)\/ui(\/.*)?$/;
/** Path that the links of Livy's batches begin with. */
const tagForm = /^\/(livy-batch-(\d+)-[a-z0-9]+)(\/.*)?$/;
/** Pages with which Spark ends jobs and stages, also by GET. */
const killForm = /\/kill/i;

/** Serves the Spark UIs of running applications. */
export function uiProtocol(scope: UiScope): HttpProtocol {
  return {
    name: "ui",
    owns: (path) => keyForm.test(path) || tagForm.test(path),
    respond: (request) => respond(scope, request),
    reject: ({ status, message, headers }) => text(status, message, headers),
  };
}

async function respond(scope: UiScope, request: GatewayRequest): Promise<GatewayResponse> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return text(405, "The Spark UI can only be read.", { allow: "GET, HEAD" });
  const target = findTarget(scope, request.path);
  if (target === undefined) return text(404, "There is no such application.");
  const { application, base, path } = target;
  const { state, record } = application;
  if (killForm.test(percentDecoded(path)))
    return text(403, `The gateway ends no single jobs and stages. To kill the application, use its page.`);
  const { uiUrl, historyUrl } = scope.links(application);
  if (uiUrl === undefined) {
    if (historyUrl !== undefined) return text(302, "", { location: historyUrl });
    return text(404, `Application ${record.key} has no Spark UI: its state is ${state}.`);
  }
  // Relative links on the page need the slash.
  if (path === "") return text(302, "", { location: `${scope.root}${base}/` });
  try {
    return await fetchPage(scope, { ...request, method }, target);
  } catch (error) {
    return text(502, `The Spark UI of application ${record.key} does not respond: ${messageOf(error)}`);
  }
}

function findTarget({ applications }: UiScope, requested: string): UiTarget | undefined {
  const [, key, ownPath = ""] = keyForm.exec(requested) ?? [];
  if (key !== undefined) {
    const application = applications.get(key);
    return application && { application, base: uiPath(key), path: ownPath };
  }
  const [, tag = "", id = "", path = ""] = tagForm.exec(requested) ?? [];
  const batch = applications.find("livy", String(Number(id)));
  const isTag = batch?.record.submission.settings[uiProxyBaseKey]?.endsWith(`/${tag}`) === true;
  return batch !== undefined && isTag ? { application: batch, base: `/${tag}`, path } : undefined;
}

async function fetchPage(
  { client, clock, root }: UiScope,
  request: GatewayRequest & { readonly method: "GET" | "HEAD" },
  { application, base, path }: UiTarget,
): Promise<GatewayResponse> {
  const { namespace, podName: name } = application.record;
  const pod = await client.get<Pod>({ type: resourceTypes.pod, namespace, name });
  const query = request.query.size === 0 ? "" : `?${request.query}`;
  const { method, signal } = request;
  const response = await fetchFromDriver(
    { client, clock },
    {
      ...{ namespace, pod: name, port: uiPortOf(pod), method, path: `${path}${query}`, signal },
      headers: driverHeaders(request.headers, `${root}${base}`),
    },
  );
  const { status, headers, body } = response;
  return { status, headers: clientHeaders(headers, `${root}${base}`), body };
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  const content = body === "" ? "" : `${body}\n`;
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body: content };
}
