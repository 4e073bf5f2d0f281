import { issue } from "../errors/issue.ts";
import { isSubmitError, messageOf, submitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { nodeContentFiles } from "../host/node-content-files.ts";
import { serverLog } from "../http/server-log.ts";
import { readTls } from "../http/tls/read-tls.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { connectServer } from "../kube-client/connect-server.ts";
import type { LeaseName } from "../kube-client/lease.ts";
import { kubernetesAccess } from "./access/kubernetes-access.ts";
import { kubernetesOwners } from "./cleaner/kubernetes-owners.ts";
import { leaderByLease, onlyServer } from "./cleaner/lease-election.ts";
import { unwatchedOwners } from "./cleaner/unwatched-owners.ts";
import { openAccess } from "./context/access.ts";
import { type StagingServer, startStagingServer } from "./server.ts";
import type { ClusterSettings, StagingServerSettings, StoreSettings } from "./settings.ts";
import { openStore, type Store } from "./store/open-store.ts";
import { isTlsEnabled, tlsContradictions } from "./tls/tls-settings.ts";

/**
 * Starts a staging server from its settings.
 *
 * @throws SubmitError `SUBMIT_ERR_STAGING_TLS` with all problems, `SUBMIT_ERR_STAGING_START`, and the errors of `connect`
 */
export async function openStagingServer(host: Host, settings: StagingServerSettings): Promise<StagingServer> {
  const { tls, auth, owners, cluster, store: where, lease, leaseDurationMs, ...plain } = settings;
  const isSecure = isTlsEnabled(tls);
  if (isSecure) {
    throwIssues(tlsContradictions(tls).map((reason) => issue("SUBMIT_ERR_STAGING_TLS", { reason })));
  }
  const needsNoCluster = auth === "none" && owners === "none" && lease === undefined;
  const client = needsNoCluster ? undefined : await connectTo(host, cluster);
  let leader = onlyServer;
  try {
    const store = await openStoreAt(host, where);
    if (client !== undefined && lease !== undefined)
      leader = leaderByLease(
        host,
        client,
        { ...leaseName(lease, client), durationMs: leaseDurationMs },
        serverLog(host),
      );
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

/** Opens the store. Checks that a bucket is writable, and warns if it ignores conditional writes. */
async function openStoreAt(host: Host, where: StoreSettings): Promise<Store> {
  if (where.kind === "directory") return openStore(host, nodeContentFiles(), where.directory);
  if (where.kind === "hdfs") return (await import("./store/hdfs/connect-hdfs-store.ts")).connectHdfsStore(host, where);
  const { prefix, authorityFile, ...settings } = where;
  const authority = authorityFile === undefined ? undefined : host.files.readText(authorityFile);
  if (authorityFile !== undefined && authority === undefined)
    throw new Error(`the CA certificate file of the store does not exist: ${authorityFile}`);
  const { openBucketWithAwsConfig } = await import("../s3/open-bucket-with-aws-config.ts");
  const { openS3Store } = await import("./store/s3/open-s3-store.ts");
  const bucket = openBucketWithAwsConfig(host, { ...settings, authority });
  const { store, isConditional } = await openS3Store(host, bucket, prefix);
  if (!isConditional) {
    const text = "The bucket does not support conditional writes: this must be the only server of this store.";
    serverLog(host)("WARN", text, { bucket: bucket.shown });
  }
  return store;
}

function leaseName(text: string, { defaultNamespace = "default" }: KubeClient): LeaseName {
  const [namespace, name] = text.split("/");
  return name === undefined ? { namespace: defaultNamespace, name: text } : { namespace: namespace ?? "", name };
}

async function connectTo(host: Host, cluster: ClusterSettings): Promise<KubeClient> {
  const { server, usesServiceAccount, ...credentials } = cluster;
  const noAccount = usesServiceAccount ? {} : { KUBERNETES_AUTH_TRYSERVICEACCOUNT: "false" };
  const own = { ...host, env: { ...host.env, ...noAccount } };
  return await connectServer(own, { server, credentials, log: serverLog(host) });
}
