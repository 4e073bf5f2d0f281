import { issue } from "../errors/issue.ts";
import { isSubmitError, messageOf, submitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { nodeContentFiles } from "../host/node-content-files.ts";
import { kubectlBehaviors } from "../kube-client/auth/access-behaviors.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { connect } from "../kube-client/connect.ts";
import { openAccess } from "./access/access.ts";
import { kubernetesAccess } from "./access/kubernetes-access.ts";
import { kubernetesOwners } from "./cleaner/kubernetes-owners.ts";
import { type LeaseName, leaderByLease, onlyServer } from "./cleaner/leader.ts";
import { unwatchedOwners } from "./cleaner/owners.ts";
import { serverLog } from "./log.ts";
import { type StagingServer, startStagingServer } from "./server.ts";
import type { ClusterSettings, StagingServerSettings, StoreSettings } from "./settings.ts";
import { openStore, type Store } from "./store/open-store.ts";
import { readTls } from "./tls/read-tls.ts";
import { isTlsEnabled, tlsContradictions } from "./tls/tls-settings.ts";

/**
 * Starts a staging server as it was set.
 *
 * @throws SubmitError `SUBMIT_ERR_STAGING_TLS` (all at once), `SUBMIT_ERR_STAGING_START`, and what a connection to a cluster throws
 */
export async function openStagingServer(host: Host, settings: StagingServerSettings): Promise<StagingServer> {
  const { tls, auth, owners, cluster, store: where, lease, ...plain } = settings;
  const isSecure = isTlsEnabled(tls);
  if (isSecure) {
    throwIssues(tlsContradictions(tls).map((reason) => issue("SUBMIT_ERR_STAGING_TLS", { reason })));
  }
  const isAlone = auth === "none" && owners === "none" && lease === undefined;
  const client = isAlone ? undefined : await connectTo(host, cluster);
  let leader = onlyServer;
  try {
    const store = await openStoreAt(host, where);
    if (client !== undefined && lease !== undefined)
      leader = leaderByLease(host, client, leaseName(lease, client), serverLog(host));
    const server = await startStagingServer(host, {
      ...{ ...plain, store, leader },
      access: client === undefined || auth === "none" ? openAccess : kubernetesAccess(client, host.clock),
      owners: client === undefined || owners === "none" ? unwatchedOwners : kubernetesOwners(client),
      tls: isSecure ? { read: () => readTls(host.files, tls), reloadEveryMs: tls.reloadEveryMs } : undefined,
    });
    const stop = async () => {
      await server.stop();
      client?.close();
    };
    return { ...server, stop };
  } catch (error) {
    await leader.stop();
    client?.close();
    if (isSubmitError(error)) throw error;
    throw submitError("SUBMIT_ERR_STAGING_START", { reason: messageOf(error) }, { cause: error });
  }
}

/** A folder's store is there at once; a bucket is asked whether it can be written. */
async function openStoreAt(host: Host, where: StoreSettings): Promise<Store> {
  if (where.kind === "folder") return openStore(host, nodeContentFiles(), where.folder);
  const { prefix, authorityFile, ...settings } = where;
  const authority = authorityFile === undefined ? undefined : host.files.readText(authorityFile);
  if (authorityFile !== undefined && authority === undefined)
    throw new Error(`the authority of the store is not there: ${authorityFile}`);
  const { openBucketWithAwsConfig } = await import("../s3/open-bucket-with-aws-config.ts");
  const { openS3Store } = await import("./store/s3/open-s3-store.ts");
  const bucket = openBucketWithAwsConfig(host, { ...settings, authority });
  const { store, isConditional } = await openS3Store(host, bucket, prefix);
  if (!isConditional) {
    const text = "The bucket knows no conditional writes: this must be the only server of this store.";
    serverLog(host)("WARN", text, { bucket: bucket.shown });
  }
  return store;
}

function leaseName(text: string, { defaultNamespace = "default" }: KubeClient): LeaseName {
  const [namespace, name] = text.split("/");
  return name === undefined
    ? { namespace: defaultNamespace, name: text }
    : { namespace: namespace ?? "", name };
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
        trustCertificates: false,
        behaviors: kubectlBehaviors,
        traits: {
          mergesKubeconfigs: true,
          unknownContextFallsBack: false,
          kubeconfigMayTrustAll: true,
          failingExecPluginStops: true,
        },
      },
    },
  );
  // Whoever calls waits for the answer, and the cleaner has its next round.
  return client.withoutRetries();
}
