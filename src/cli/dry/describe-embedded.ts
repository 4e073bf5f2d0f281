import type { Host } from "../../host/host.ts";
import type { EmbeddedCluster } from "../../resolve/destination.ts";
import { clusterPaths, readClusterRecord } from "../cluster-record.ts";
import { defaultsFor, releaseOf } from "../embedded.ts";

/** Placeholder for the address, which an embedded cluster gets when it starts. */
const placeholderAddress = "https://embedded";

/** Describes the embedded cluster as a submission would see it, without a start or a request. */
export async function describeEmbedded(
  host: Host,
  { sparkVersion }: { readonly sparkVersion: string | undefined },
): Promise<EmbeddedCluster> {
  const record = readClusterRecord(host, "default");
  const url = record?.url ?? placeholderAddress;
  return {
    ...{ url, certificateAuthority: record?.certificateAuthority ?? "", token: record?.token ?? "" },
    driverMaster: url,
    machineName: record?.machineName,
    defaults: defaultsFor(releaseOf(sparkVersion), {
      uploadPath: clusterPaths(host, "default").uploads,
      eventLogs: (record ?? clusterPaths(host, "default")).eventLogs,
    }).defaults,
  };
}
