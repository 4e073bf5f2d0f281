import type { Files } from "../../../host/host.ts";
import { removeTree } from "../../../host/remove-tree.ts";
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
  const indexFile = `${directory}/index.json`;
  const imageDirectory = (id: string) => `${directory}/${id.replace("sha256:", "")}`;

  function readNames(): Record<string, string> {
    const text = files.readText(indexFile);
    return text === undefined ? {} : parse(text);
  }

  function writeNames(names: Readonly<Record<string, string>>): void {
    files.write(`${indexFile}.new`, `${JSON.stringify(names, undefined, 2)}\n`);
    files.rename(`${indexFile}.new`, indexFile);
  }

  function read(id: string): StoredImage | undefined {
    const text = files.readText(`${imageDirectory(id)}/image.json`);
    return text === undefined ? undefined : parse(text);
  }

  function list(): readonly NamedImage[] {
    const names = Object.entries(readNames()).sort(([a], [b]) => (a < b ? -1 : 1));
    return (files.list(directory) ?? []).flatMap((hex): readonly NamedImage[] => {
      const image = read(hex);
      if (image === undefined) return [];
      const own = names.filter(([, id]) => id === image.id).map(([name]) => ({ name, image }));
      return own.length === 0 ? [{ name: undefined, image }] : own;
    });
  }

  function drop(id: string): void {
    writeNames(Object.fromEntries(Object.entries(readNames()).filter(([, own]) => own !== id)));
    removeTree(files, imageDirectory(id));
  }

  return {
    list,
    find(reference) {
      const [name] = normalizeImageName(reference);
      const id = name === undefined ? undefined : readNames()[name];
      return id === undefined ? undefined : read(id);
    },
    rootOf: ({ id }) => `${imageDirectory(id)}/root`,
    has: (id) => read(id) !== undefined,
    add(image, finished) {
      files.write(`${finished}/image.json`, `${JSON.stringify(image, undefined, 2)}\n`);
      removeTree(files, imageDirectory(image.id));
      files.rename(finished, imageDirectory(image.id));
    },
    setNames(id, names) {
      writeNames({ ...readNames(), ...Object.fromEntries(names.map((name) => [name, id])) });
    },
    remove(nameOrId) {
      const names = readNames();
      const [name = ""] = normalizeImageName(nameOrId);
      const id = names[name];
      if (id !== undefined) {
        const { [name]: _, ...rest } = names;
        writeNames(rest);
        if (!Object.values(rest).includes(id)) drop(id);
        return true;
      }
      const found = list().find(({ image }) => isIdOf(nameOrId, image.id));
      if (found !== undefined) drop(found.image.id);
      return found !== undefined;
    },
  };
}

function isIdOf(text: string, id: string): boolean {
  const hex = text.replace(/^sha256:/, "");
  return /^[0-9a-f]{6,64}$/.test(hex) && id.startsWith(`sha256:${hex}`);
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}
