import { cacheDirectory } from "../../../host/cache-directory.ts";
import type { Host } from "../../../host/host.ts";
import { imageStore, type NamedImage } from "./image-store.ts";

/** Returns the directory of loaded images, which all clusters of a user share. */
export function loadedImagesDirectory(host: Host): string {
  return `${cacheDirectory(host)}/images`;
}

/** Lists the loaded images by ID; an image with several names appears once for each. */
export function listImages(host: Host): readonly NamedImage[] {
  return imageStore(host.files, loadedImagesDirectory(host)).list();
}

/**
 * Removes a name of an image, and the image with its last name; by ID, removes all of it. Returns false when nothing
 * matches.
 */
export function removeImage(host: Host, nameOrId: string): boolean {
  return imageStore(host.files, loadedImagesDirectory(host)).remove(nameOrId);
}
