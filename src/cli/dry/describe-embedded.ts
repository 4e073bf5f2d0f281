import type { Host } from "../../host/host.ts";
import type { EmbeddedCluster, OpenEmbedded } from "../../resolve/destination.ts";
import { clusterPaths, readClusterRecord } from "../cluster-record.ts";
import { defaultsFor, releaseOf } from "../embedded.ts";

/** Placeholder for the address, which an embedded cluster gets when it starts. */
const placeholderAddress = "https://embedded";

/** Describes an embedded cluster as a submission would see it, without a start or a request. */
export async function describeEmbedded(
  host: Host,
  { name = "default", sparkVersion }: Parameters<OpenEmbedded>[0],
): Promise<EmbeddedCluster> {
  const record = readClusterRecord(host, name);
  const url = record?.url ?? placeholderAddress;
  return {
    ...{ url, certificateAuthority: record?.certificateAuthority ?? "", token: record?.token ?? "" },
    driverMaster: url,
    machineName: record?.machineName,
    defaults: defaultsFor(releaseOf(sparkVersion), {
      uploadPath: clusterPaths(host, name).uploads,
      eventLogs: (record ?? clusterPaths(host, name)).eventLogs,
    }).defaults,
  };
}
