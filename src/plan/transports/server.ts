import {
  stagingInitImage,
  stagingInitTimeout,
  stagingSecretMaxSize,
  stagingServer,
  stagingServerInternalUrl,
  stagingTransport,
} from "../../conf/entries/localizing.ts";
import { issue } from "../../errors/issue.ts";
import type { TransportRule } from "./transport-rule.ts";

/** Transport through a staging server, from which an init container fetches the files. */
export const serverRule: TransportRule = {
  description: "through the staging server",
  sent: "to the staging server before, which then provides the bundle's ID and token",
  entries: [stagingServer, stagingServerInternalUrl, stagingInitImage, stagingInitTimeout],
  reason: ({ conf }) =>
    conf.get(stagingServer) === undefined
      ? undefined
      : `they are too large for Secrets, see ${stagingSecretMaxSize.key}`,
  check: ({ conf }) =>
    conf.get(stagingServer) === undefined
      ? [
          issue("SUBMIT_ERR_STAGING_NO_SERVER", {
            key: stagingTransport.key,
            serverKey: stagingServer.key,
          }),
        ]
      : [],
};
