import { issue } from "../errors/issue.ts";
import { isSubmitError, messageOf, submitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { nodeContentFiles } from "../host/node-content-files.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { connect } from "../kube-client/connect.ts";
import { openAccess } from "./access/access.ts";
import { kubernetesAccess } from "./access/kubernetes-access.ts";
import { kubernetesOwners } from "./cleaner/kubernetes-owners.ts";
import { unwatchedOwners } from "./cleaner/owners.ts";
import { serverLog } from "./log.ts";
import { type StagingServer, startStagingServer } from "./server.ts";
import type { ClusterSettings, StagingServerSettings } from "./settings.ts";
import { readTls } from "./tls/read-tls.ts";
import { isTlsEnabled, tlsContradictions } from "./tls/tls-settings.ts";

/**
 * Starts a staging server as it was set.
 *
 * @throws SubmitError `SUBMIT_ERR_STAGING_TLS` (all at once), `SUBMIT_ERR_STAGING_START`, and what a connection to a cluster throws
 */
export async function openStagingServer(host: Host, settings: StagingServerSettings): Promise<StagingServer> {
  const { tls, auth, owners, cluster, ...plain } = settings;
  const isSecure = isTlsEnabled(tls);
  if (isSecure) {
    throwIssues(tlsContradictions(tls).map((reason) => issue("SUBMIT_ERR_STAGING_TLS", { reason })));
  }
  const client = auth === "none" && owners === "none" ? undefined : await connectTo(host, cluster);
  try {
    return await startStagingServer(host, nodeContentFiles(), {
      ...plain,
      access: client === undefined || auth === "none" ? openAccess : kubernetesAccess(client, host.clock),
      owners: client === undefined || owners === "none" ? unwatchedOwners : kubernetesOwners(client),
      tls: isSecure ? { read: () => readTls(host.files, tls), reloadEveryMs: tls.reloadEveryMs } : undefined,
    });
  } catch (error) {
    client?.close();
    if (isSubmitError(error)) throw error;
    throw submitError("SUBMIT_ERR_STAGING_START", { reason: messageOf(error) }, { cause: error });
  }
}

const requestTimeoutMs = 10_000;

async function connectTo(host: Host, cluster: ClusterSettings): Promise<KubeClient> {
  const log = serverLog(host);
  const { server, usesServiceAccount, ...given } = cluster;
  const noAccount = usesServiceAccount ? {} : { KUBERNETES_AUTH_TRYSERVICEACCOUNT: "false" };
  const client = await connect(
    { ...host, env: { ...host.env, ...noAccount } },
    {
      server,
      log: (level, logger, text) => {
        if (level !== "INFO") log(level, text, { logger });
      },
      ...{ requestTimeoutMs, connectionTimeoutMs: requestTimeoutMs },
      access: {
        ...given,
        kind: "user",
        ...{ trustCertificates: false, strict: false },
        behaviour: {
          mergesKubeconfigs: true,
          unknownContextFallsBack: false,
          kubeconfigMayTrustAll: true,
          failingExecPluginStops: true,
        },
      },
    },
  );
  // Whoever calls waits for the answer, and the cleaner has its next round.
  return client.aside();
}
