import { stagingS3Path } from "../../conf/entries/bucket.ts";
import {
  stagingInitImage,
  stagingMode,
  stagingSecretMaxSize,
  stagingServer,
} from "../../conf/entries/localizing.ts";
import {
  pushPort,
  pushServiceType,
  pushTimeout,
  pushUsesInternalAddresses,
} from "../../conf/entries/pushing.ts";
import { issue } from "../../errors/issue.ts";
import type { TransportRule } from "./transport-rule.ts";

/** The driver's own init container, which waits for them: nothing has to be set up, but somebody has to wait with it. */
export const pushRule: TransportRule = {
  way: "into its waiting init container",
  sent: "into the waiting init container, once it is there",
  entries: [pushServiceType, pushPort, pushTimeout, pushUsesInternalAddresses, stagingInitImage],
  reason: () =>
    `they are too large for Secrets, see ${stagingSecretMaxSize.key}, and there is neither ${stagingServer.key} nor ${stagingS3Path.key}`,
  check({ conf }) {
    const mode = conf.get(stagingMode);
    if (mode === "driverServed") return [];
    const reason = "what is sent into the driver's pod reaches no executor";
    const remedy = `name a staging server in ${stagingServer.key}`;
    return [issue("SUBMIT_ERR_STAGING_MODE", { key: stagingMode.key, mode, reason, remedy })];
  },
};
