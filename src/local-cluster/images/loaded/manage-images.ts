import { cacheDirectory } from "../../../host/cache-directory.ts";
import type { Host } from "../../../host/host.ts";
import { imageStore, type NamedImage } from "./image-store.ts";

/** Where loaded images lie, for all clusters of a user. */
export function loadedImagesDirectory(host: Host): string {
  return `${cacheDirectory(host)}/images`;
}

/** The images that were loaded, by id; one with several names comes once for each. */
export function listImages(host: Host): readonly NamedImage[] {
  return imageStore(host.files, loadedImagesDirectory(host)).list();
}

/** Takes away a name of an image, and the image with its last; by an id, all of it. False when there is none. */
export function removeImage(host: Host, nameOrId: string): boolean {
  return imageStore(host.files, loadedImagesDirectory(host)).remove(nameOrId);
}
