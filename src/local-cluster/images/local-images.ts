import type { Host } from "../../host/host.ts";
import { embeddedImageKind } from "../../values/embedded-image.ts";
import { type ImageReference, parseImageReference, printImageReference } from "../../values/image-reference.ts";
import type { Mount } from "../sandbox/sandbox.ts";
import type { ImageResult, Images, ListedImage } from "./image.ts";
import { initContainerImage } from "./init-container-image.ts";
import { type ImageStore, imageStore } from "./loaded/image-store.ts";
import { rootfsImage } from "./loaded/rootfs-image.ts";
import { findPython } from "./python.ts";
import { type ComposedImage, plainImage, type SparkContent, sparkImage } from "./spark-image.ts";

interface InstalledSpark {
  readonly version: string;
  readonly home: string;
}

/** Spark distributions that images can use. */
export interface SparkSources {
  /** Homes of the Spark distributions that images may name, and the Java for them. */
  readonly sparkHomes: readonly InstalledSpark[];
  readonly javaHome: string | undefined;
  /** Returns the directory of a Spark's class data archive for this Java, if there is one. @default none */
  readonly classArchive?: (spark: InstalledSpark) => string | undefined;
  /** Fetches a release (`4.0.1`) or the newest of a line (`4.0`) for an image that requires it. @throws SubmitError */
  readonly fetchSpark?: (version: string) => Promise<{ readonly version: string; readonly home: string }>;
  /** Directory that pods of Spark images mount read-only at the same path; created if missing. */
  readonly uploads?: string;
  /** Directory that pods of Spark images mount at the same path and can write; created if missing. */
  readonly eventLogs?: string;
}

interface LocalImagesOptions extends SparkSources {
  readonly host: Host;
  /** Private directory for generated files. */
  readonly directory: string;
  /** Additional variables of Spark images. */
  readonly sparkEnv: Readonly<Record<string, string>>;
  /** Directory of loaded images. */
  readonly loadedImages: string;
}

/**
 * Creates the image lookup of this machine. A loaded image is found by its own name. Otherwise, its repository
 * determines the image, see `embeddedImageKind`. A tag without a version gives the newest Spark; a missing one is fetched.
 */
export function localImages(options: LocalImagesOptions): Images {
  const { host } = options;
  const state: LocalImagesState = {
    options,
    sparkMounts: [...uploadsMount(host, options.uploads), ...eventLogsMount(host, options.eventLogs)],
    // Started early: it takes longer than anything else that the first pod waits for.
    python: findPython(host),
    installed: [...options.sparkHomes],
    store: imageStore(host.files, options.loadedImages),
    composed: new Map(),
    listed: undefined,
    fetches: new Map(),
  };
  return { find: (reference) => findImage(state, reference), list: () => listImages(state) };
}

interface LocalImagesState {
  readonly options: LocalImagesOptions;
  readonly sparkMounts: readonly Mount[];
  readonly python: ReturnType<typeof findPython>;
  readonly installed: InstalledSpark[];
  readonly store: ImageStore;
  /** Composed images by the directories of their Spark; `""` for the plain image. */
  readonly composed: Map<string, ComposedImage>;
  /** Result of the last `listImages`, and what it depends on. */
  listed: { readonly revision: string; readonly images: readonly ListedImage[] } | undefined;
  /** Fetches in progress by version. */
  readonly fetches: Map<string, Promise<InstalledSpark>>;
}

async function findImage(
  state: LocalImagesState,
  reference: string,
): Promise<ImageResult | { readonly fetch: () => Promise<ImageResult> }> {
  const { options, store, sparkMounts, installed } = state;
  const { host, sparkEnv, fetchSpark } = options;
  const parsed = parseImageReference(reference);
  if ("problem" in parsed) return { reason: "InvalidImageName", message: parsed.problem };
  const loaded = store.find(reference);
  if (loaded !== undefined) return rootfsImage(loaded, { files: host.files, store, reference, sparkEnv, sparkMounts });
  const kind = embeddedImageKind(parsed);
  if (kind === "plain") return await composeImage(state, reference);
  if (kind === "initContainer") {
    const image = initContainerImage(await imageParts(state), host);
    return image === undefined ? pullError(notFound(parsed)) : { image: { ...image, reference } };
  }
  if (kind === undefined) return pullError(notFound(parsed));
  const spark = chooseSpark(installed, parsed.tag);
  if (spark !== undefined) return await composeImage(state, reference, spark);
  const version = versionIn(parsed.tag);
  if (version === undefined || fetchSpark === undefined)
    return pullError(`${notFound(parsed)} (${listInstalledVersions(installed)})`);
  return {
    fetch: () =>
      fetchOnce(state, version, fetchSpark).then(
        (spark) => composeImage(state, reference, spark),
        (error: unknown) => fetchFailure(parsed, error),
      ),
  };
}

/** Lists the loaded images, and one image for each installed Spark by its usual names. */
function listImages(state: LocalImagesState): readonly ListedImage[] {
  const { store, installed } = state;
  const revision = `${store.revision()} ${installed.map(({ version }) => version).join(" ")}`;
  if (state.listed?.revision === revision) return state.listed.images;
  const usual = installed.map(({ version }) => ({
    names: [`docker.io/apache/spark:${version}`, `docker.io/library/spark:${version}`],
    sizeBytes: 0,
  }));
  const loaded = new Map<string, ListedImage>();
  for (const { name, image } of store.list()) {
    const names = [...(loaded.get(image.id)?.names ?? []), ...(name === undefined ? [] : [name])];
    loaded.set(image.id, { names, sizeBytes: image.sizeBytes });
  }
  state.listed = { revision, images: [...[...loaded.values()].filter(({ names }) => names.length > 0), ...usual] };
  return state.listed.images;
}

function pullError(message: string): ImageResult {
  return { reason: "ErrImagePull", message };
}

async function imageParts({ options, python, sparkMounts }: LocalImagesState) {
  const { host, directory, javaHome, sparkEnv } = options;
  return { files: host.files, directory, python: await python, javaHome, sparkEnv, sparkMounts };
}

async function composeImage(state: LocalImagesState, reference: string, spark?: InstalledSpark): Promise<ImageResult> {
  const parts = await imageParts(state);
  // The archive can appear while the cluster runs.
  const content: SparkContent | undefined = spark && {
    home: spark.home,
    classArchive: state.options.classArchive?.(spark),
  };
  const key = content === undefined ? "" : JSON.stringify(content);
  const image = state.composed.get(key) ?? (content === undefined ? plainImage(parts) : sparkImage(parts, content));
  state.composed.set(key, image);
  return { image: { ...image, reference } };
}

/** Fetches a version; concurrent requests for the same version share one fetch. */
async function fetchOnce(
  { fetches, installed }: LocalImagesState,
  version: string,
  get: NonNullable<LocalImagesOptions["fetchSpark"]>,
): Promise<InstalledSpark> {
  const running = fetches.get(version) ?? get(version).finally(() => fetches.delete(version));
  fetches.set(version, running);
  const spark = await running;
  if (!installed.some(({ home }) => home === spark.home)) installed.push(spark);
  return spark;
}

function uploadsMount({ files }: Host, directory: string | undefined): readonly Mount[] {
  if (directory === undefined) return [];
  files.makeDirectory(directory);
  // Containers run as other users.
  files.changeMode(directory, 0o755);
  return [{ kind: "bind", source: directory, target: directory, readOnly: true }];
}

function eventLogsMount({ files }: Host, directory: string | undefined): readonly Mount[] {
  if (directory === undefined) return [];
  files.makeDirectory(directory);
  // Containers run as other users, each of which can remove only its own files.
  files.changeMode(directory, 0o1777);
  return [{ kind: "bind", source: directory, target: directory, readOnly: false }];
}

/** Extracts `4.0.1` from `v4.0.1-scala2.13-java21-ubuntu`; returns `undefined` for other tags. */
function versionIn(tag: string | undefined): string | undefined {
  return /^v?(\d+\.\d+(?:\.\d+)?)/.exec(tag ?? "")?.[1];
}

/**
 * Chooses the exact version of a tag, else the newest of its release line; for a tag without a version, the newest of
 * all.
 */
function chooseSpark(installed: readonly InstalledSpark[], tag: string | undefined): InstalledSpark | undefined {
  const version = versionIn(tag);
  const newestFirst = [...installed].sort((a, b) => compareVersions(b.version, a.version));
  if (version === undefined) return newestFirst[0];
  const line = version.split(".").slice(0, 2).join(".");
  return (
    newestFirst.find((spark) => spark.version === version) ??
    newestFirst.find((spark) => spark.version === line || spark.version.startsWith(`${line}.`))
  );
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function notFound(image: ImageReference): string {
  const name = printImageReference(image);
  return `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`;
}

function fetchFailure(image: ImageReference, error: unknown): ImageResult {
  const why = error instanceof Error ? error.message : String(error);
  const command = `firesteel spark install ${versionIn(image.tag) ?? ""}`;
  return pullError(`failed to pull and unpack image "${printImageReference(image)}": ${why} (to see more: ${command})`);
}

function listInstalledVersions(installed: readonly InstalledSpark[]): string {
  return `this machine has ${installed.map(({ version }) => `spark:${version}`).join(", ") || "no Spark"}`;
}
