import { uiProxyBaseKey } from "../../conf/entries/spark-ui.ts";
import { percentDecoded } from "../../values/percent-decoding.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { rejectAsText, textResponse } from "../http/text-response.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";
import { fetchUiPage, killForm, type UiAccess } from "./fetch-page.ts";
import { missingUi } from "./missing-ui.ts";
import { type LinksOf, type SourceOf, uiPath, uiPathForm } from "./ui-links.ts";

interface UiScope extends UiAccess {
  readonly applications: Pick<Applications, "get" | "find">;
  readonly links: LinksOf;
  readonly sourceOf: SourceOf;
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

/** Path that the links of Livy's batches begin with. */
const tagForm = /^\/(livy-batch-(\d+)-[a-z0-9]+)(\/.*)?$/;

/** Serves the Spark UIs of applications. */
export function uiProtocol(scope: UiScope): HttpProtocol {
  return {
    name: "ui",
    owns: (path) => uiPathForm.test(path) || tagForm.test(path),
    respond: (request) => respond(scope, request),
    reject: rejectAsText,
  };
}

async function respond(scope: UiScope, request: GatewayRequest): Promise<GatewayResponse> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD")
    return textResponse(405, "The Spark UI can only be read.", { allow: "GET, HEAD" });
  const target = findTarget(scope, request.path);
  if (target === undefined) return textResponse(404, "There is no such application.");
  const { application, base, path } = target;
  if (killForm.test(percentDecoded(path)))
    return textResponse(403, `The gateway ends no single jobs and stages. To kill the application, use its page.`);
  const source = scope.sourceOf(application);
  if (source === undefined) return missingUi(application, scope.links(application));
  // Relative links on the page need the slash.
  if (path === "") return textResponse(302, "", { location: `${scope.root}${base}/` });
  return fetchUiPage(scope, request, { application, source, method, base: `${scope.root}${base}`, path });
}

function findTarget({ applications }: UiScope, requested: string): UiTarget | undefined {
  const [, key, ownPath = ""] = uiPathForm.exec(requested) ?? [];
  if (key !== undefined) {
    const application = applications.get(key);
    return application && { application, base: uiPath(key), path: ownPath };
  }
  const [, tag = "", id = "", path = ""] = tagForm.exec(requested) ?? [];
  const batch = applications.find("livy", String(Number(id)));
  const isTag = batch?.record.submission.settings[uiProxyBaseKey]?.endsWith(`/${tag}`) === true;
  return batch !== undefined && isTag ? { application: batch, base: `/${tag}`, path } : undefined;
}
