import type { Host } from "../../host/host.ts";
import { embeddedMaster } from "../../resolve/embedded-name.ts";
import { findClusterProcess, listClusterRecords } from "../cluster-record.ts";

/** Lists the masters of the named embedded clusters whose process runs: `k8s://embedded/team`. Contacts none. */
export function runningMasters(host: Host): readonly string[] {
  return listClusterRecords(host)
    .filter(({ name }) => name !== "default" && findClusterProcess(host, name) !== undefined)
    .map(({ name }) => embeddedMaster(name));
}
