import type { Files } from "../../../host/host.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { isArray, isObject, type JsonObject } from "../../api/json.ts";
import { normalizeImageName } from "./archive-contents.ts";

/** Loaded image with the relevant part of its configuration. */
export interface StoredImage {
  /** `sha256:…` of the configuration. */
  readonly id: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** `185`, `spark`, `185:0`, `spark:root`; empty for root. */
  readonly user: string;
  /** Total size of the unpacked files. */
  readonly sizeBytes: number;
}

/** Loaded image and one of its names; `undefined` when a newer image has taken all of its names. */
export interface NamedImage {
  readonly name: string | undefined;
  readonly image: StoredImage;
}

/** Images loaded on this machine, in a directory that all clusters of a user share. */
export interface ImageStore {
  readonly list: () => readonly NamedImage[];
  /** Returns a text that changes whenever names of images do. */
  readonly revision: () => string;
  /** Finds an image by any form of its name. */
  readonly find: (reference: string) => StoredImage | undefined;
  /** Returns the directory with an image's files. */
  readonly rootOf: (image: Pick<StoredImage, "id">) => string;
  readonly has: (id: string) => boolean;
  /** Moves a complete directory that contains `root` into the store. */
  readonly add: (image: StoredImage, directory: string) => void;
  readonly setNames: (id: string, names: readonly string[]) => void;
  /** Removes a name, or a whole image by its ID or ID prefix; returns false when nothing matches. */
  readonly remove: (nameOrId: string) => boolean;
}

/**
 * Opens the store in a directory. `index.json` maps names to IDs; `<hex of the ID>/image.json` describes an image,
 * and `root` next to it holds the files.
 */
export function imageStore(files: Files, directory: string): ImageStore {
  const store: StoreDirectory = { files, directory, indexFile: `${directory}/index.json` };
  return {
    list: () => listImages(store),
    revision() {
      const index = files.info(store.indexFile);
      return index === undefined ? "" : `${index.inode} ${index.modifiedMs}`;
    },
    find(reference) {
      const [name] = normalizeImageName(reference);
      const id = name === undefined ? undefined : readNames(store)[name];
      return id === undefined ? undefined : readImage(store, id);
    },
    rootOf: ({ id }) => `${imageDirectory(store, id)}/root`,
    has: (id) => readImage(store, id) !== undefined,
    add(image, finished) {
      files.write(`${finished}/image.json`, `${JSON.stringify(image, undefined, 2)}\n`);
      removeTree(files, imageDirectory(store, image.id));
      files.rename(finished, imageDirectory(store, image.id));
    },
    setNames(id, names) {
      writeNames(store, { ...readNames(store), ...Object.fromEntries(names.map((name) => [name, id])) });
    },
    remove: (nameOrId) => removeByNameOrId(store, nameOrId),
  };
}

interface StoreDirectory {
  readonly files: Files;
  readonly directory: string;
  readonly indexFile: string;
}

function imageDirectory({ directory }: StoreDirectory, id: string): string {
  return `${directory}/${id.replace("sha256:", "")}`;
}

function readNames({ files, indexFile }: StoreDirectory): Record<string, string> {
  const names = Object.entries(readObject(files, indexFile) ?? {});
  return Object.fromEntries(names.flatMap(([name, id]) => (typeof id === "string" ? [[name, id]] : [])));
}

function writeNames({ files, indexFile }: StoreDirectory, names: Readonly<Record<string, string>>): void {
  files.write(`${indexFile}.new`, `${JSON.stringify(names, undefined, 2)}\n`);
  files.rename(`${indexFile}.new`, indexFile);
}

function readImage(store: StoreDirectory, id: string): StoredImage | undefined {
  const image = readObject(store.files, `${imageDirectory(store, id)}/image.json`);
  return image !== undefined && isImage(image) ? image : undefined;
}

function listImages(store: StoreDirectory): readonly NamedImage[] {
  const names = Object.entries(readNames(store)).sort(([a], [b]) => (a < b ? -1 : 1));
  return (store.files.list(store.directory) ?? []).flatMap((hex): readonly NamedImage[] => {
    const image = readImage(store, hex);
    if (image === undefined) return [];
    const own = names.filter(([, id]) => id === image.id).map(([name]) => ({ name, image }));
    return own.length === 0 ? [{ name: undefined, image }] : own;
  });
}

function removeByNameOrId(store: StoreDirectory, nameOrId: string): boolean {
  const names = readNames(store);
  const [name = ""] = normalizeImageName(nameOrId);
  const id = names[name];
  if (id !== undefined) {
    const { [name]: _, ...rest } = names;
    writeNames(store, rest);
    if (!Object.values(rest).includes(id)) removeImage(store, id);
    return true;
  }
  const found = listImages(store).find(({ image }) => isIdOf(nameOrId, image.id));
  if (found !== undefined) removeImage(store, found.image.id);
  return found !== undefined;
}

/** Removes an image with all its names. */
function removeImage(store: StoreDirectory, id: string): void {
  const others = Object.entries(readNames(store)).filter(([, named]) => named !== id);
  writeNames(store, Object.fromEntries(others));
  removeTree(store.files, imageDirectory(store, id));
}

function isIdOf(text: string, id: string): boolean {
  const hex = text.replace(/^sha256:/, "");
  return /^[0-9a-f]{6,64}$/.test(hex) && id.startsWith(`sha256:${hex}`);
}

/** Parses a file. `undefined` if it is missing or damaged: an image can be loaded again. */
function readObject(files: Files, path: string): JsonObject | undefined {
  const text = files.info(path)?.kind === "file" ? files.readText(path) : undefined;
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isImage(value: JsonObject): value is JsonObject & StoredImage {
  const isText = (field: unknown) => typeof field === "string";
  const lists = [value["entrypoint"], value["command"], Object.values(isObject(value["env"]) ? value["env"] : [null])];
  return (
    [value["id"], value["workingDirectory"], value["user"]].every(isText) &&
    lists.every((list) => isArray(list) && list.every(isText)) &&
    typeof value["sizeBytes"] === "number"
  );
}
