import type { GatewayResponse } from "../http/gateway-request.ts";
import { textResponse } from "../http/text-response.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { UiLinks } from "./ui-links.ts";

/** Returns the response for an application whose Spark UI the gateway does not serve. */
export function missingUi({ record, state }: GatewayApplication, { historyUrl }: UiLinks): GatewayResponse {
  if (historyUrl !== undefined) return textResponse(302, "", { location: historyUrl });
  return textResponse(404, `Application ${record.key} has no Spark UI: its state is ${state}.`);
}
