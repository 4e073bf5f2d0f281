import type { KubernetesMaster } from "../plan/master.ts";
import type { Destination, Entered } from "./destination.ts";

/** Returns whether the master is `k8s://embedded`. */
export function isEmbedded({ apiServer }: KubernetesMaster): boolean {
  return apiServer === "https://embedded";
}

/** Opens the embedded cluster if the master is `k8s://embedded`. Any other destination is unchanged. */
export async function enterEmbedded(destination: Destination): Promise<Entered> {
  const { master, read, version, openEmbedded } = destination;
  const { settings } = read;
  if (!isEmbedded(master) || openEmbedded === undefined) {
    return { master, access: undefined, settings, version };
  }
  const { openDestination } = await import("./open-destination.ts");
  return openDestination(destination, openEmbedded);
}
