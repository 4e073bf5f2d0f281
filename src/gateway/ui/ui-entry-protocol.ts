import { restrictApplications } from "../access/restrict-applications.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { rejectAsText, textResponse } from "../http/text-response.ts";
import type { Applications } from "../model/applications.ts";
import { missingUi } from "./missing-ui.ts";
import type { UiAddresses } from "./ui-addresses.ts";
import { type LinksOf, type SourceOf, uiPathForm } from "./ui-links.ts";
import type { UiTickets } from "./ui-tickets.ts";

interface EntryScope {
  readonly applications: Applications;
  readonly links: LinksOf;
  readonly sourceOf: SourceOf;
  readonly tickets: UiTickets;
  readonly addresses: UiAddresses;
}

/**
 * Leads users to the Spark UIs, which another server of the gateway serves: at `/applications/KEY/ui/`, it checks the permission, and
 * redirects with a ticket.
 */
export function uiEntryProtocol(scope: EntryScope): HttpProtocol {
  return {
    name: "ui",
    owns: (path) => uiPathForm.test(path),
    respond: async (request) => respond(scope, request),
    reject: rejectAsText,
  };
}

/** A page that opens another window loses it with this header, so it cannot read the address that follows. */
const headers = { "cross-origin-opener-policy": "same-origin" };

function respond(scope: EntryScope, request: GatewayRequest): GatewayResponse {
  const { method, path: requested, query, principal, permissions } = request;
  if (method !== "GET" && method !== "HEAD")
    return textResponse(405, "The Spark UI has another address.", { allow: "GET, HEAD" });
  // A page of a driver could read the address in a frame.
  const { "sec-fetch-dest": destination = "document" } = request.headers;
  if (destination !== "document") return textResponse(403, "Open the Spark UI in a window of its own.");
  const [, key = "", path = ""] = uiPathForm.exec(requested) ?? [];
  const application = restrictApplications(scope.applications, permissions).get(key);
  if (application === undefined) return textResponse(404, "There is no such application.");
  if (scope.sourceOf(application) === undefined) return missingUi(application, scope.links(application));
  const canKill = permissions.allows("kill", application.record.namespace);
  const ticket = scope.tickets.issue(key, { user: principal.user, canKill });
  const suffix = query.size === 0 ? "" : `?${query}`;
  const location = `${scope.addresses.uis(request.headers)}/${key}/${ticket}${path || "/"}${suffix}`;
  return textResponse(302, "", { ...headers, location });
}
