import type { KubernetesMaster } from "../plan/master.ts";
import type { Destination, Entered } from "./destination.ts";

/** True for the master `k8s://embedded`. */
export function isEmbedded({ apiServer }: KubernetesMaster): boolean {
  return apiServer === "https://embedded";
}

/** Opens the embedded cluster when the master is `k8s://embedded`; leaves every other submission as it is. */
export async function enterEmbedded(destination: Destination): Promise<Entered> {
  const { master, read, version, openEmbedded } = destination;
  const { settings } = read;
  if (!isEmbedded(master) || openEmbedded === undefined) {
    return { master, access: undefined, settings, version };
  }
  const { openDestination } = await import("./open-destination.ts");
  return openDestination(destination, openEmbedded);
}
