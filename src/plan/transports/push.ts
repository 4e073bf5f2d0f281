import { stagingS3Path } from "../../conf/entries/bucket.ts";
import { stagingInitImage, stagingMode, stagingSecretMaxSize, stagingServer } from "../../conf/entries/localizing.ts";
import { pushPort, pushServiceType, pushTimeout, pushUsesInternalAddresses } from "../../conf/entries/pushing.ts";
import { issue } from "../../errors/issue.ts";
import type { TransportRule } from "./transport-rule.ts";

/** Transport into the driver's waiting init container. It needs no setup, but the submission has to wait for the container. */
export const pushRule: TransportRule = {
  description: "into its waiting init container",
  sent: "into the waiting init container, once it is there",
  entries: [pushServiceType, pushPort, pushTimeout, pushUsesInternalAddresses, stagingInitImage],
  reason: () =>
    `they are too large for Secrets, see ${stagingSecretMaxSize.key}, and there is neither ${stagingServer.key} nor ${stagingS3Path.key}`,
  check({ conf }) {
    const mode = conf.get(stagingMode);
    if (mode === "driverServed") return [];
    const reason = "executors cannot read files that are sent into the driver's pod";
    const remedy = `name a staging server in ${stagingServer.key}`;
    return [issue("SUBMIT_ERR_STAGING_MODE", { key: stagingMode.key, mode, reason, remedy })];
  },
};
