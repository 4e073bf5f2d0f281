import { absolutePath } from "../../../host/absolute-path.ts";
import type { Host } from "../../../host/host.ts";
import { printArchiveLocation } from "../../../values/archive-location.ts";
import { uploadTargets } from "../stage/uploads/upload-targets.ts";
import type { BundleTarget } from "./bundle-target.ts";

/** Writes a file to a path. */
type WriteFile = (path: string) => Promise<unknown>;

/**
 * Writes a bundle to its target, and replaces one of the same name. In a directory of this machine, no incomplete file remains.
 *
 * @param work directory for temporary files
 * @returns the path or URI of the bundle
 * @throws Error with the reason
 */
export async function storeBundle(target: BundleTarget, work: string, write: WriteFile): Promise<string> {
  const { host, location, name } = target;
  if (location.kind === "directory") {
    const directory = absolutePath(host, location.path).replace(/\/+$/, "");
    host.files.makeDirectory(directory);
    await writeComplete(host, `${directory}/${name}`, write);
    return `${directory}/${name}`;
  }
  const path = `${work}/${name}`;
  await write(path);
  const sizeBytes = host.files.info(path)?.sizeBytes ?? 0;
  await (location.kind === "store" ? upload : copyToClaim)(target, { path, sizeBytes });
  return `${printArchiveLocation(location)}/${name}`;
}

/** Writes a file under another name in its directory, and renames it. @returns the result of `write` @throws Node's error */
export async function writeComplete<T>(
  { files, random }: Pick<Host, "files" | "random">,
  path: string,
  write: (draft: string) => Promise<T>,
): Promise<T> {
  const end = path.lastIndexOf("/") + 1;
  const draft = `${path.slice(0, end)}.${path.slice(end)}.${random.uuid()}.tmp`;
  try {
    const result = await write(draft);
    files.rename(draft, path);
    return result;
  } catch (error) {
    files.remove(draft);
    throw error;
  }
}

interface PackedBundle {
  readonly path: string;
  readonly sizeBytes: number;
}

async function upload({ host, location, name, owner, signal }: BundleTarget, { path, sizeBytes }: PackedBundle) {
  if (location.kind !== "store") return;
  const { scheme, uri: directory } = location;
  const targets = uploadTargets(host, owner);
  try {
    const target = await targets.of(directory);
    await target.connect?.(directory, signal);
    await target.upload({ scheme, directory, path, sizeBytes, name }, { signal, onProgress: () => {} });
  } finally {
    targets.close();
  }
}

async function copyToClaim(target: BundleTarget, { path, sizeBytes }: PackedBundle): Promise<void> {
  const { location, name } = target;
  if (location.kind !== "claim") return;
  const { writeToClaim } = await import("./write-to-claim.ts");
  const file = [location.path, name].filter((part) => part !== "").join("/");
  await writeToClaim(target, { claim: location.claim, file, path, sizeBytes });
}
