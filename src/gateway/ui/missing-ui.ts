import type { GatewayResponse } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import { uiText } from "./fetch-page.ts";
import type { UiLinks } from "./ui-links.ts";

/** Returns the response for an application without a Spark UI; `undefined` if it has one. */
export function missingUi(
  { record, state }: GatewayApplication,
  { uiUrl, historyUrl }: UiLinks,
): GatewayResponse | undefined {
  if (uiUrl !== undefined) return undefined;
  if (historyUrl !== undefined) return uiText(302, "", { location: historyUrl });
  return uiText(404, `Application ${record.key} has no Spark UI: its state is ${state}.`);
}
