import { parseImageReference } from "../image-reference.ts";

/** An image in an archive; paths are those of the archive. */
export interface ArchivedImage {
  /** Whole names, e.g. `docker.io/library/app:1`. */
  readonly names: readonly string[];
  readonly config: string;
  /** The lowest first. */
  readonly layers: readonly string[];
}

/** Reads a JSON file of the archive; `undefined` when it is not there. */
export type ReadJson = (path: string) => unknown;

/** As Go names them, e.g. `linux` and `amd64`. */
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
 * The images of an unpacked archive: one of `docker save`, or an OCI layout. Of an image for several platforms, that
 * for this one.
 *
 * Source: moby, image/spec/spec.md; OCI image specification 1.1, image-layout.md and image-index.md.
 * @throws Error when it is neither, or has no image for this platform.
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
  if (!hasManifests(index)) throw new Error("it has neither a manifest.json nor an index.json of images");
  return selectPlatform(index.manifests, platform).map((descriptor) =>
    imageInLayout(readJson, descriptor, platform),
  );
}

/** `app` becomes `docker.io/library/app:latest`; what names no image, such as a mere tag, nothing. */
export function normalizeImageName(text: string): readonly string[] {
  const parsed = parseImageReference(text);
  return "problem" in parsed || parsed.tag === undefined ? [] : [`${parsed.repository}:${parsed.tag}`];
}

function imageInLayout(readJson: ReadJson, descriptor: Descriptor, platform: Platform): ArchivedImage {
  const manifest = readJson(blob(descriptor));
  const annotatedNames = nameAnnotations.map((key) => descriptor.annotations?.[key]);
  // A mere tag is no name: the layout is of one repository, which it does not tell.
  const names = annotatedNames.flatMap((text) =>
    text === undefined || !/[:/]/.test(text) ? [] : normalizeImageName(text),
  );
  if (hasManifests(manifest)) {
    const [own] = selectPlatform(manifest.manifests, platform);
    if (own === undefined) throw new Error(noImageMessage(platform));
    return { ...imageInLayout(readJson, own, platform), names: [...new Set(names)] };
  }
  if (!isManifest(manifest)) throw new Error(`${blob(descriptor)} is no manifest of an image`);
  return {
    names: [...new Set(names)],
    config: blob(manifest.config),
    layers: manifest.layers.map(blob),
  };
}

/** Those for this platform; what names no platform may be for any. */
function selectPlatform(descriptors: readonly Descriptor[], platform: Platform): readonly Descriptor[] {
  const found = descriptors.filter(
    ({ platform: own }) =>
      own === undefined || (own.os === platform.os && own.architecture === platform.architecture),
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
    Array.isArray(value) &&
    value.every((image) => typeof image?.Config === "string" && Array.isArray(image.Layers))
  );
}

function hasManifests(value: unknown): value is { readonly manifests: readonly Descriptor[] } {
  return hasList(value, "manifests");
}

function isManifest(
  value: unknown,
): value is { readonly config: Descriptor; readonly layers: readonly Descriptor[] } {
  return hasList(value, "layers") && "config" in value;
}

function hasList(value: unknown, key: string): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    Array.isArray(Object.entries(value).find(([k]) => k === key)?.[1])
  );
}
