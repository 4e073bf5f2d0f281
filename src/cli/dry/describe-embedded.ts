import type { Host } from "../../host/host.ts";
import type { EmbeddedCluster } from "../../resolve/destination.ts";
import { clusterPaths, readClusterRecord } from "../cluster-record.ts";
import { defaultsFor, releaseOf } from "../embedded.ts";

/** What stands for the address that an embedded cluster gets only when it starts. */
const unknownAddress = "https://embedded";

/** The embedded cluster as a submission would find it, without starting or asking it. */
export async function describeEmbedded(
  host: Host,
  { sparkVersion }: { readonly sparkVersion: string | undefined },
): Promise<EmbeddedCluster> {
  const record = readClusterRecord(host, "default");
  const url = record?.url ?? unknownAddress;
  return {
    ...{ url, certificateAuthority: record?.certificateAuthority ?? "", token: record?.token ?? "" },
    driverMaster: url,
    defaults: defaultsFor(releaseOf(sparkVersion), clusterPaths(host, "default").uploads).defaults,
  };
}
