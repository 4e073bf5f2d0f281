import type { KubernetesMaster } from "../plan/master.ts";

const unnamed = "https://embedded";

/** Returns the name of the embedded cluster that a master addresses: `team` for `k8s://embedded/team`, `default` for `k8s://embedded`. */
export function embeddedName({ apiServer }: KubernetesMaster): string {
  return apiServer.slice(`${unnamed}/`.length) || "default";
}

/** Returns the master that addresses an embedded cluster. */
export function embeddedMaster(name: string): string {
  return name === "default" ? "k8s://embedded" : `k8s://embedded/${name}`;
}
