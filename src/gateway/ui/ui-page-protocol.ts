import type { ServerLog } from "../../http/server-log.ts";
import { percentDecoded } from "../../values/percent-decoding.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { textResponse } from "../http/text-response.ts";
import type { Applications } from "../model/applications.ts";
import { fetchUiPage, killForm, type UiAccess } from "./fetch-page.ts";
import { missingUi } from "./missing-ui.ts";
import type { UiAddresses } from "./ui-addresses.ts";
import { type LinksOf, type SourceOf, uiPath } from "./ui-links.ts";
import type { UiTickets } from "./ui-tickets.ts";

interface PageScope extends UiAccess {
  readonly applications: Pick<Applications, "get">;
  readonly links: LinksOf;
  readonly sourceOf: SourceOf;
  readonly tickets: UiTickets;
  readonly addresses: UiAddresses;
  readonly log: ServerLog;
}

const pathForm = /^\/([a-z0-9-]+)\/([A-Za-z0-9_-]+)(\/.*)$/;

/** Header of all pages: other pages lose the windows that they open for them. */
const headers = { "cross-origin-opener-policy": "same-origin" };

/** Serves the Spark UIs at `/KEY/TICKET/`. A reader whose ticket has expired gets another one from the gateway. */
export function uiPageProtocol(scope: PageScope): HttpProtocol {
  return {
    name: "ui",
    owns: (path) => pathForm.test(path),
    async respond(request) {
      const response = await respond(scope, request);
      return { ...response, headers: { ...response.headers, ...headers } };
    },
    reject: ({ status, message, headers: more }) => textResponse(status, message, { ...more, ...headers }),
  };
}

async function respond(scope: PageScope, request: GatewayRequest): Promise<GatewayResponse> {
  const [, key = "", ticket = "", path = ""] = pathForm.exec(request.path) ?? [];
  const { applications, links, sourceOf, tickets, addresses, log } = scope;
  const { method } = request;
  const reader = tickets.open(key, ticket);
  if (reader === undefined) return renew(addresses, request, { key, path });
  const application = applications.get(key);
  if (application === undefined) return textResponse(404, "There is no such application.");
  const source = sourceOf(application);
  if (source === undefined) return missingUi(application, links(application));
  const page = { application, source, base: `/${key}/${ticket}`, path };
  const isKill = killForm.test(percentDecoded(path));
  if ((method === "GET" || method === "HEAD") && !isKill) return fetchUiPage(scope, request, { ...page, method });
  if (method !== "POST" || !isKill)
    return textResponse(405, "The gateway does not forward this request.", { allow: "GET, HEAD" });
  const { user } = reader;
  const result = reader.canKill ? "accepted" : "denied";
  log("INFO", "audit", { action: "kill in the UI", user, key, path, result });
  if (!reader.canKill) return textResponse(403, "You may not end jobs and stages of this application.");
  return fetchUiPage(scope, request, { ...page, method, body: await request.readBody() });
}

/** Redirects to the gateway, which issues tickets. */
function renew(
  { gateway }: UiAddresses,
  { method, headers: requested, query }: GatewayRequest,
  { key, path }: { readonly key: string; readonly path: string },
): GatewayResponse {
  const { "sec-fetch-dest": destination = "document" } = requested;
  if (method !== "GET" || destination !== "document")
    return textResponse(403, "The ticket of this address has expired. Load the page again.");
  const suffix = query.size === 0 ? "" : `?${query}`;
  return textResponse(302, "", { location: `${gateway(requested)}${uiPath(key)}${path}${suffix}` });
}
