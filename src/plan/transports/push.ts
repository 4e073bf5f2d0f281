import { stagingS3Path } from "../../conf/entries/bucket.ts";
import { stagingInitImage, stagingMode, stagingSecretMaxSize, stagingServer } from "../../conf/entries/localizing.ts";
import {
  pushAddress,
  pushAuthority,
  pushGateway,
  pushIngressClass,
  pushKeyPem,
  pushPort,
  pushServerCertPem,
  pushServiceType,
  pushTimeout,
  pushTls,
  pushUsesInternalAddresses,
} from "../../conf/entries/pushing.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import { pushTlsFiles } from "./push-service.ts";
import type { TransportRule } from "./transport-rule.ts";

/** Transport into the driver's waiting init container. It needs no setup, but the submission has to wait for the container. */
export const pushRule: TransportRule = {
  description: "into its waiting init container",
  sent: "into the waiting init container, once it is there",
  entries: [
    ...[pushServiceType, pushPort, pushTimeout, pushUsesInternalAddresses, stagingInitImage],
    ...[pushAddress, pushIngressClass, pushGateway, pushTls, pushKeyPem, pushServerCertPem, pushAuthority],
  ],
  reason: () =>
    `they are too large for Secrets, see ${stagingSecretMaxSize.key}, and there is neither ${stagingServer.key} nor ${stagingS3Path.key}`,
  check({ conf }) {
    const mode = conf.get(stagingMode);
    if (mode === "driverServed") return missingIssues(conf);
    const reason = "executors cannot read files that are sent into the driver's pod";
    const remedy = `name a staging server in ${stagingServer.key}`;
    return [issue("SUBMIT_ERR_STAGING_MODE", { key: stagingMode.key, mode, reason, remedy })];
  },
};

/** Reports settings that the type of the service needs. */
function missingIssues(conf: SparkConf): readonly Issue[] {
  const type = conf.get(pushServiceType);
  const needed: Readonly<Record<string, readonly ConfEntry<unknown>[]>> = {
    Ingress: [pushAddress],
    Gateway: [pushAddress, pushGateway],
  };
  const tls = pushTlsFiles(conf) === undefined ? [] : [pushKeyPem, pushServerCertPem];
  const of = (entries: readonly ConfEntry<unknown>[], key: string, value: string) =>
    entries
      .filter((entry) => !conf.has(entry))
      .map((entry) => issue("SUBMIT_ERR_STAGING_PUSH_SETTING", { key, value, missing: entry.key }));
  return [...of(needed[type] ?? [], pushServiceType.key, type), ...of(tls, pushTls.key, "true")];
}
