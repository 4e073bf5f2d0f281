import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { inInstallDirectory } from "../../../spark/cache.ts";
import { checksumOf } from "../../../spark/checksum.ts";
import { cleanPath } from "../../sandbox/container-path.ts";
import { mountedPath } from "../../sandbox/mounted-path.ts";
import { type ArchivedImage, archivedImages, normalizeImageName, type Platform } from "./archive-contents.ts";
import { type ImageStore, imageStore, type NamedImage, type StoredImage } from "./image-store.ts";
import { loadedImagesDirectory } from "./manage-images.ts";
import { type UnpackBudget, unpackBudget } from "./unpack-budget.ts";
import { unpackLayer } from "./unpack-layer.ts";

interface ImageLoad {
  /** Archive written by `docker save` or `podman save`, or an OCI layout; plain, gzip or zstd. */
  readonly file: string;
  /** Name for an archive with one image; required if the archive names none. */
  readonly name?: string | undefined;
}

/**
 * Unpacks an archive's images into this machine's store.
 *
 * @throws SubmitError `SUBMIT_ERR_IMAGE_ARCHIVE` with the reason.
 */
export async function loadImages(host: Host, load: ImageLoad): Promise<readonly NamedImage[]> {
  const { file } = load;
  const directory = loadedImagesDirectory(host);
  if (host.files.info(file)?.kind !== "file") throw failure(file, "the file does not exist");
  const store = imageStore(host.files, directory);
  return await inInstallDirectory(host, `${directory}/new`, async (work) => {
    try {
      return await loadInto(host, store, { ...load, work });
    } catch (error) {
      throw failure(file, error instanceof Error ? error.message : String(error));
    }
  });
}

function failure(file: string, reason: string) {
  return submitError("SUBMIT_ERR_IMAGE_ARCHIVE", { file, reason });
}

async function loadInto(
  host: Host,
  store: ImageStore,
  { file, name, work }: ImageLoad & { readonly work: string },
): Promise<readonly NamedImage[]> {
  const archive = `${work}/archive`;
  const budget = unpackBudget(host.files.info(file)?.sizeBytes ?? 0);
  await unpackLayer(host.files, file, { root: archive, budget });
  const images = archivedImages((path) => readJson(host, archive, path), platformOf(host));
  const named = name === undefined ? [] : normalizeImageName(name);
  if (name !== undefined && named.length === 0) throw new Error(`${name} is not an image name`);
  if (named.length > 0 && images.length > 1) {
    throw new Error(`it holds ${images.length} images, but a name applies to one image`);
  }
  const loaded: NamedImage[] = [];
  for (const [index, image] of images.entries()) {
    const names = named.length > 0 ? named : image.names;
    if (names.length === 0) throw new Error("it names no image; give it a name with --tag NAME");
    const stored = await unpackImage(host, store, { archive, image, directory: `${work}/${index}`, budget });
    store.setNames(stored.id, names);
    loaded.push(...names.map((own) => ({ name: own, image: stored })));
  }
  return loaded;
}

interface ImageUnpacking {
  /** Directory of the unpacked archive. */
  readonly archive: string;
  readonly image: ArchivedImage;
  readonly directory: string;
  readonly budget: UnpackBudget;
}

async function unpackImage(
  host: Host,
  store: ImageStore,
  { archive, image, directory, budget }: ImageUnpacking,
): Promise<StoredImage> {
  const config = pathIn(host, archive, image.config);
  const id = `sha256:${checksumOf(host, config, "sha256")}`;
  const text = host.files.readText(config) ?? "";
  const settings = parseConfig(text, platformOf(host));
  for (const path of [image.config, ...image.layers]) checkBlob(host, archive, path);
  const root = `${directory}/root`;
  host.files.makeDirectory(root);
  if (!store.has(id)) {
    for (const layer of image.layers) {
      await unpackLayer(host.files, pathIn(host, archive, layer), { root, budget });
    }
    store.add({ id, ...settings, sizeBytes: sizeOf(host, root) }, directory);
  }
  return { id, ...settings, sizeBytes: sizeOf(host, store.rootOf({ id })) };
}

/** Resolves a path within the archive, following links without leaving the archive. */
function pathIn({ files }: Host, archive: string, path: string): string {
  const mounts = [{ kind: "bind", source: archive, target: "/", readOnly: true } as const];
  const found = mountedPath(files, mounts, cleanPath(path));
  if (found === undefined || files.info(found)?.kind !== "file")
    throw new Error(`it lacks ${cleanPath(path).slice(1)}`);
  return found;
}

function readJson(host: Host, archive: string, path: string): unknown {
  if (host.files.info(`${archive}${path}`, { followLinks: false }) === undefined) return undefined;
  return JSON.parse(host.files.readText(pathIn(host, archive, path)) ?? "");
}

/** Verifies the checksum that names the file in an OCI layout. */
function checkBlob(host: Host, archive: string, path: string): void {
  const expected = /(?:^|\/)blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1];
  if (expected === undefined || checksumOf(host, pathIn(host, archive, path), "sha256") === expected) return;
  throw new Error(`${path.replace(/^\//, "")} is damaged: its checksum does not match its name`);
}

interface ImageConfiguration {
  readonly os?: string;
  readonly architecture?: string;
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly User?: string;
  };
}

/** Source: OCI image specification 1.1, config.md. */
function parseConfig(text: string, platform: Platform): Omit<StoredImage, "id" | "sizeBytes"> {
  const configuration: ImageConfiguration = JSON.parse(text);
  const { os = platform.os, architecture = platform.architecture, config = {} } = configuration;
  if (os !== platform.os || architecture !== platform.architecture) {
    const machine = `${platform.os}/${platform.architecture}`;
    throw new Error(`the image is for ${os}/${architecture}, and this machine is ${machine}`);
  }
  const env = (config.Env ?? []).map((variable) => {
    const equals = variable.indexOf("=");
    return [variable.slice(0, equals), variable.slice(equals + 1)];
  });
  return {
    entrypoint: config.Entrypoint ?? [],
    command: config.Cmd ?? [],
    env: Object.fromEntries(env),
    workingDirectory: config.WorkingDir === undefined || config.WorkingDir === "" ? "/" : config.WorkingDir,
    user: config.User ?? "",
  };
}

function platformOf({ arch }: Pick<Host, "arch">): Platform {
  return { os: "linux", architecture: arch === "x64" ? "amd64" : arch };
}

function sizeOf(host: Host, path: string): number {
  const info = host.files.info(path, { followLinks: false });
  if (info?.kind === "file") return info.sizeBytes;
  if (info?.kind !== "directory") return 0;
  return (host.files.list(path) ?? []).reduce((sum, name) => sum + sizeOf(host, `${path}/${name}`), 0);
}
