import type { Host } from "../../host/host.ts";
import { serverLog } from "../../http/server-log.ts";
import { type Authenticate, withoutAuthentication } from "../http/authenticate.ts";
import { servicePaths } from "../http/service-protocol.ts";
import type { AuthenticationSettings } from "../settings.ts";
import { basicAuthentication } from "./basic.ts";
import { passwordFile } from "./password-file.ts";

/** Opens the authentication of all protocols. @throws SubmitError SUBMIT_ERR_GATEWAY_PASSWORD_FILE */
export function openAuthentication(host: Host, settings: AuthenticationSettings): Authenticate {
  if (settings.kind === "none") return withoutAuthentication;
  const users = passwordFile(host, settings.passwordFile, serverLog(host));
  return basicAuthentication({ random: host.random, users, openPaths: servicePaths });
}
