import fc from "fast-check";
import type { AppendFile, Files } from "../../host/host.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { createMemoryStore, type MemoryStore } from "../api/memory-store.ts";
import { type FileJournal, type JournalOptions, openJournal } from "./journal.ts";

/** Directory of journals in tests. */
export const directory = "/state";

/** The files of a journal by name. */
export type Image = Readonly<Record<string, Uint8Array>>;

interface OpenedStore {
  readonly store: MemoryStore;
  readonly journal: FileJournal;
  readonly host: TestHost;
}

/** Opens a store on the files of an image, or on new files. */
export async function openStore(
  image: Image = {},
  options: Partial<JournalOptions> & { readonly wrap?: (files: Files) => Files; readonly now?: number } = {},
): Promise<OpenedStore> {
  const files = Object.fromEntries(Object.entries(image).map(([name, bytes]) => [`${directory}/${name}`, bytes]));
  const made = testHost({ files, ...(options.now === undefined ? {} : { now: options.now }) });
  const host = { ...made, files: options.wrap?.(made.files) ?? made.files };
  const onFailure = () => {};
  const journal = await openJournal({
    host,
    directory,
    sync: "never",
    repairs: false,
    isNew: Object.keys(image).length === 0,
    onFailure,
    ...options,
  });
  return { store: createMemoryStore(host, { journal }), journal, host };
}

/** Reads the journal's current files. */
export function imageOf({ list, readBytes }: Files): Image {
  const names = (list(directory) ?? []).filter((name) => readBytesOf(name) !== undefined);
  function readBytesOf(name: string) {
    return name.startsWith("damaged-") ? undefined : readBytes(`${directory}/${name}`);
  }
  return Object.fromEntries(names.map((name) => [name, readBytesOf(name) ?? new Uint8Array()]));
}

/** Prints all objects with their revisions for comparison. */
export function contentOf(store: MemoryStore, collections: readonly string[]): string {
  return JSON.stringify(collections.map((collection) => store.list(collection)));
}

/** Builds a ConfigMap. */
export function thing(name: string, data: Readonly<Record<string, string>> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

/** Wraps files so that a test can observe, reject or truncate each append. */
export function watchedFiles(
  files: Files,
  onAppend: (path: string, bytes: Uint8Array, append: (part: Uint8Array) => void) => void,
  onChange: () => void = () => {},
): Files {
  return {
    ...files,
    async openAppend(path) {
      const file = await files.openAppend(path);
      onChange();
      const watched: AppendFile = {
        ...file,
        append: (content) => onAppend(path, Buffer.from(content), file.append),
      };
      return watched;
    },
    rename(from, to) {
      files.rename(from, to);
      onChange();
    },
    remove(path) {
      files.remove(path);
      onChange();
    },
  };
}

/** Collections that steps change. */
export const collections = ["configmaps", "secrets"];
/** Generates changes of a store. */
export const step = fc.record({
  collection: fc.constantFrom(...collections),
  name: fc.constantFrom("a", "b", "c"),
  verb: fc.constantFrom("create", "update", "update", "remove", "end"),
  text: fc.string({ unit: "grapheme", maxLength: 30 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Performs a generated change; it has no effect if the object does not allow it. */
export function applyStep(store: MemoryStore, { collection, name, verb, text }: Step): void {
  if (verb === "create") store.create(collection, thing(name, { text }));
  else if (verb === "remove") store.remove(collection, "default", name);
  else {
    const end = { deletionTimestamp: "2026-01-31T12:00:00Z", deletionGracePeriodSeconds: 0 };
    store.update(collection, "default", name, (current) => ({
      ...current,
      data: { text },
      metadata: verb === "end" ? { ...current.metadata, ...end } : current.metadata,
    }));
  }
}
