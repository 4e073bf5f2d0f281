import { parseImageReference } from "../../../values/image-reference.ts";

/** An image in an archive; paths are relative to the archive. */
export interface ArchivedImage {
  /** Normalized names, e.g. `docker.io/library/app:1`. */
  readonly names: readonly string[];
  readonly config: string;
  /** Lowest layer first. */
  readonly layers: readonly string[];
}

/** Reads a JSON file of the archive; returns `undefined` when it does not exist. */
type ReadJson = (path: string) => unknown;

/** Operating system and architecture under Go's names, e.g. `linux` and `amd64`. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
}

interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

const nameAnnotations = ["io.containerd.image.name", "org.opencontainers.image.ref.name"];

/**
 * Lists the images of an unpacked archive, written by `docker save` or in OCI layout. Selects the matching image of a
 * multi-platform index.
 *
 * Source: moby, image/spec/spec.md; OCI image specification 1.1, image-layout.md and image-index.md.
 * @throws Error when the archive has neither format, or has no image for this platform.
 */
export function archivedImages(readJson: ReadJson, platform: Platform): readonly ArchivedImage[] {
  const saved = readJson("/manifest.json");
  if (isSaved(saved)) {
    return saved.map(({ Config, RepoTags, Layers }) => ({
      names: (RepoTags ?? []).flatMap(normalizeImageName),
      config: Config,
      layers: Layers,
    }));
  }
  const index = readJson("/index.json");
  if (!hasManifests(index)) throw new Error("it has neither a manifest.json nor an index.json that lists images");
  return selectPlatform(index.manifests, platform).map((descriptor) => imageInLayout(readJson, descriptor, platform));
}

/**
 * Normalizes an image name: `app` becomes `docker.io/library/app:latest`. Text that names no image, such as a bare
 * tag, becomes an empty list.
 */
export function normalizeImageName(text: string): readonly string[] {
  const parsed = parseImageReference(text);
  return "problem" in parsed || parsed.tag === undefined ? [] : [`${parsed.repository}:${parsed.tag}`];
}

function imageInLayout(readJson: ReadJson, descriptor: Descriptor, platform: Platform): ArchivedImage {
  const manifest = readJson(blob(descriptor));
  const annotatedNames = nameAnnotations.map((key) => descriptor.annotations?.[key]);
  // A bare tag is not an image name: the layout does not state the repository that it belongs to.
  const names = annotatedNames.flatMap((text) =>
    text === undefined || !/[:/]/.test(text) ? [] : normalizeImageName(text),
  );
  if (hasManifests(manifest)) {
    const [own] = selectPlatform(manifest.manifests, platform);
    if (own === undefined) throw new Error(noImageMessage(platform));
    return { ...imageInLayout(readJson, own, platform), names: [...new Set(names)] };
  }
  if (!isManifest(manifest)) throw new Error(`${blob(descriptor)} is not an image manifest`);
  return { names: [...new Set(names)], config: blob(manifest.config), layers: manifest.layers.map(blob) };
}

/** Selects the descriptors for this platform; a descriptor without a platform matches any. */
function selectPlatform(descriptors: readonly Descriptor[], platform: Platform): readonly Descriptor[] {
  const found = descriptors.filter(
    ({ platform: own }) => own === undefined || (own.os === platform.os && own.architecture === platform.architecture),
  );
  if (found.length === 0) throw new Error(noImageMessage(platform));
  return found;
}

function noImageMessage({ os, architecture }: Platform): string {
  return `it has no image for ${os}/${architecture}`;
}

function blob({ digest }: Descriptor): string {
  const [algorithm = "", hex = ""] = digest.split(":");
  return `/blobs/${algorithm}/${hex}`;
}

interface SavedImage {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

function isSaved(value: unknown): value is readonly SavedImage[] {
  return (
    Array.isArray(value) && value.every((image) => typeof image?.Config === "string" && Array.isArray(image.Layers))
  );
}

function hasManifests(value: unknown): value is { readonly manifests: readonly Descriptor[] } {
  return hasList(value, "manifests");
}

function isManifest(value: unknown): value is { readonly config: Descriptor; readonly layers: readonly Descriptor[] } {
  return hasList(value, "layers") && "config" in value;
}

function hasList(value: unknown, key: string): value is object {
  return (
    typeof value === "object" && value !== null && Array.isArray(Object.entries(value).find(([k]) => k === key)?.[1])
  );
}
