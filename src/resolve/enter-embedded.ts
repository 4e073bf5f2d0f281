import type { KubernetesMaster } from "../plan/master.ts";
import type { Destination, Entered } from "./destination.ts";

/** Returns whether the master is `k8s://embedded` or `k8s://embedded/NAME`. */
export function isEmbedded({ apiServer }: KubernetesMaster): boolean {
  return `${apiServer}/`.startsWith("https://embedded/");
}

/** Opens the embedded cluster if it is the master. Any other destination is unchanged. */
export async function enterEmbedded(destination: Destination): Promise<Entered> {
  const { master, read, version, openEmbedded } = destination;
  const { settings } = read;
  if (!isEmbedded(master) || openEmbedded === undefined) {
    return { master, access: undefined, settings, version };
  }
  const { openDestination } = await import("./open-destination.ts");
  return openDestination(destination, openEmbedded);
}

/** Returns the embedded cluster as it is before it is opened, with placeholders; `undefined` for any other destination. */
export async function enterUnopened(destination: Destination): Promise<Entered | undefined> {
  const { master, openEmbedded } = destination;
  if (!isEmbedded(master) || openEmbedded === undefined) return undefined;
  const { unopenedDestination } = await import("./open-destination.ts");
  return unopenedDestination(destination);
}
