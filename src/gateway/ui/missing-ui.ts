import type { GatewayResponse } from "../http/gateway-request.ts";
import type { GatewayApplication } from "../model/application.ts";
import { uiText } from "./fetch-page.ts";
import type { UiLinks } from "./ui-links.ts";

/** Returns the response for an application whose Spark UI the gateway does not serve. */
export function missingUi({ record, state }: GatewayApplication, { historyUrl }: UiLinks): GatewayResponse {
  if (historyUrl !== undefined) return uiText(302, "", { location: historyUrl });
  return uiText(404, `Application ${record.key} has no Spark UI: its state is ${state}.`);
}
