import type { Host } from "../../../host/host.ts";
import { visibleLine } from "../../../host/visible-text.ts";
import { connect } from "../../../kube-client/connect.ts";
import { embeddedMaster } from "../../../resolve/embedded-name.ts";

interface ArchivingCluster {
  readonly name: string;
  readonly url: string;
  readonly certificateAuthority: string;
  readonly token: string;
}

const timeoutMs = 30_000;

/** Starts to archive the drivers of a cluster whose submissions request it. @returns a function that stops it */
export async function startClusterArchives(host: Host, cluster: ArchivingCluster): Promise<() => Promise<void>> {
  const { name, url, certificateAuthority: authority, token } = cluster;
  const { archiveDrivers } = await import("../../../masters/kubernetes/archive/archive-drivers.ts");
  const client = await connect(host, {
    ...{ server: url, log: () => {}, requestTimeoutMs: timeoutMs, connectionTimeoutMs: timeoutMs },
    access: { kind: "known", authority, token },
  });
  const stop = archiveDrivers({
    ...{ host: host, client, key: token },
    cluster: { master: embeddedMaster(name) },
    log: (_, __, text) => host.stderr.write(`${visibleLine(text)}\n`),
  });
  return async () => {
    await stop();
    client.close();
  };
}
