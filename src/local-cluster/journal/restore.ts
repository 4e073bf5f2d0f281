import { messageOf } from "../../errors/message-of.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Files } from "../../host/host.ts";
import type { KeptChange, KeptObject, RestoredState } from "../api/journal.ts";
import { type Entry, formatVersion, parseEntry } from "./entry.ts";
import { type PlacedRecord, scanRecords, type TornLine } from "./record.ts";

/** Damage of a journal file. */
export interface Corruption {
  readonly path: string;
  /** Bytes from the file's beginning. */
  readonly offset: number;
  /** Completes "The state of the cluster cannot be read: ". */
  readonly reason: string;
  /** Content of the damaged line in Latin-1, if the damage is a line. */
  readonly text?: string;
}

/** A file whose last write was interrupted. */
export interface TornFile extends TornLine {
  readonly path: string;
}

/** State that was read from the files of a directory. */
export interface Restoration extends RestoredState {
  /** Number of the last journal, which receives new records. */
  readonly generation: number;
  readonly torn: readonly TornFile[];
  /** If there is any damage, `objects` and `changes` are those whose checksums are valid, and others may be lost. */
  readonly damages: readonly Corruption[];
}

const firstGeneration = 1;

/** Path of a journal, e.g. `journal-00000001.log`, or of the snapshot before its changes. */
export function generationPath(directory: string, kind: "journal" | "snapshot", generation: number): string {
  return `${directory}/${kind}-${String(generation).padStart(8, "0")}.log`;
}

/** Lists the numbers of the journals or snapshots in a directory, in ascending order. */
export function generations(files: Files, directory: string, kind: "journal" | "snapshot"): number[] {
  const pattern = new RegExp(`^${kind}-(\\d{8})\\.log$`);
  return (files.list(directory) ?? []).flatMap((name) => {
    const digits = pattern.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/**
 * Reads the newest snapshot and the journals since.
 *
 * @param isNew whether no cluster has been started in the directory before; otherwise a missing or empty file is damage, as for etcd
 * @throws SubmitError `SUBMIT_ERR_CLUSTER_STATE` for a file that the system cannot read
 */
export function restore(files: Files, directory: string, { isNew }: { readonly isNew: boolean }): Restoration {
  const base = generations(files, directory, "snapshot").at(-1);
  const numbers = generations(files, directory, "journal").filter((number) => number >= (base ?? 0));
  const snapshot = base === undefined ? undefined : readSnapshot(files, generationPath(directory, "snapshot", base));
  const first = base ?? numbers[0] ?? firstGeneration;
  const journals = numbers.map((number) => readJournal(files, generationPath(directory, "journal", number)));
  const changes = journals.flatMap((journal) => journal.changes);
  // A cluster's first change does not have revision 1.
  const revision = snapshot?.revision ?? (changes[0]?.change.revision ?? 1) - 1;
  return {
    revision: base === undefined && numbers.length === 0 ? undefined : revision,
    objects: snapshot?.objects ?? [],
    changes: changes.map(({ change }) => change),
    generation: numbers.at(-1) ?? first,
    torn: journals.flatMap(({ torn }) => torn ?? []),
    damages: [
      ...(snapshot?.damages ?? []),
      ...missingFiles(directory, { base, numbers, isNew }),
      ...journals.flatMap(({ damages }) => damages),
      ...journals.flatMap((journal, index) => interruptions(journal, journals.slice(index + 1))),
      ...emptyFiles(journals, isNew && base === undefined),
      ...disorder(changes, revision),
    ],
  };
}

function missingFiles(
  directory: string,
  { base, numbers, isNew }: { base: number | undefined; numbers: readonly number[]; isNew: boolean },
): readonly Corruption[] {
  const missing = (kind: "journal" | "snapshot", number: number): Corruption => {
    const path = generationPath(directory, kind, number);
    return { path, offset: 0, reason: "the file is missing, although the cluster has been started before" };
  };
  const [first = base ?? firstGeneration, last = first] = [numbers[0], numbers.at(-1)];
  const expected = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const gaps = expected.filter((number) => !numbers.includes(number));
  if (numbers.length === 0) return base === undefined && isNew ? [] : [missing("journal", first)];
  if (base === undefined && first > firstGeneration) return [missing("snapshot", first)];
  if (base !== undefined && first > base) return [missing("journal", base)];
  return gaps.map((number) => missing("journal", number));
}

/** A change, and the place of its record. */
interface PlacedChange {
  readonly change: KeptChange;
  readonly path: string;
  readonly offset: number;
}

interface Journal {
  readonly path: string;
  readonly hasHead: boolean;
  readonly changes: readonly PlacedChange[];
  readonly torn: TornFile | undefined;
  readonly damages: readonly Corruption[];
}

/** An interrupted write is the end of the journal only if no journal with changes follows. */
function interruptions({ torn }: Journal, later: readonly Journal[]): readonly Corruption[] {
  if (torn === undefined || later.every(({ changes }) => changes.length === 0)) return [];
  return [{ path: torn.path, offset: torn.offset, reason: "the record is incomplete, but a later journal follows" }];
}

/** Finds journals without their first record. The last journal may be unused: it is created before its first record is written. */
function emptyFiles(journals: readonly Journal[], isNew: boolean): readonly Corruption[] {
  return journals.flatMap(({ path, hasHead, damages }, index) => {
    const isUnused = index === journals.length - 1 && (index > 0 || isNew);
    return hasHead || isUnused || damages.length > 0 ? [] : [{ path, offset: 0, reason: "the file is empty" }];
  });
}

/** Changes are recorded in order of their revisions. A copied block of a disk repeats old ones. */
function disorder(changes: readonly PlacedChange[], revision: number): readonly Corruption[] {
  let last = revision;
  for (const { change, path, offset } of changes) {
    if (change.revision <= last) return [{ path, offset, reason: "the record repeats an earlier revision" }];
    last = change.revision;
  }
  return [];
}

interface Snapshot {
  readonly revision: number;
  readonly objects: readonly KeptObject[];
  readonly damages: readonly Corruption[];
}

/** Reads a snapshot. It was renamed when complete, so an incomplete one is damaged. */
function readSnapshot(files: Files, path: string): Snapshot {
  const { entries, damages, sizeBytes } = readEntries(files, path);
  const all = entries.map(({ entry }) => entry);
  const head = all.find((entry) => entry.is === "head");
  const objects = all.filter((entry) => entry.is === "object");
  const end = all.find((entry) => entry.is === "end");
  const isComplete = head !== undefined && end?.count === objects.length;
  const cut = { path, offset: sizeBytes, reason: "the file is incomplete" };
  const problems = [...versionFaults(path, head), ...damages];
  const highest = Math.max(0, ...objects.map(({ object }) => Number(object.metadata.resourceVersion) || 0));
  return {
    revision: head?.revision ?? highest,
    objects,
    damages: isComplete || problems.length > 0 ? problems : [cut],
  };
}

function readJournal(files: Files, path: string): Journal {
  const { entries, damages, torn } = readEntries(files, path);
  const head = entries.map(({ entry }) => entry).find((entry) => entry.is === "head");
  const changes = entries.flatMap(({ entry, offset }) =>
    entry.is === "changes" ? entry.changes.map((change) => ({ change, path, offset })) : [],
  );
  return {
    ...{ path, changes, hasHead: head !== undefined, torn: torn && { ...torn, path } },
    damages: [...versionFaults(path, head), ...damages],
  };
}

function versionFaults(path: string, head: (Entry & { is: "head" }) | undefined): readonly Corruption[] {
  if (head === undefined || head.version === formatVersion) return [];
  const reason = `it was written by another version of Firesteel (format ${head.version})`;
  return [{ path, offset: 0, reason }];
}

function readEntries(files: Files, path: string) {
  const bytes = readFile(files, path);
  const { records, later, torn, damaged } = scanRecords(bytes);
  const last = torn?.json === undefined ? [] : [{ json: torn.json, offset: torn.offset }];
  const entries = [...records, ...later, ...last].flatMap(({ json, offset }: PlacedRecord) => {
    const entry = parseEntry(json);
    return entry === undefined ? [] : [{ entry, offset }];
  });
  const damages = damaged.map(({ offset, sizeBytes, text }): Corruption => {
    return { path, offset, reason: `${sizeBytes} bytes are not a valid record`, text };
  });
  return { entries, damages, torn, sizeBytes: bytes.length };
}

function readFile(files: Files, path: string): Uint8Array {
  try {
    return files.readBytes(path) ?? new Uint8Array();
  } catch (cause) {
    throw submitError("SUBMIT_ERR_CLUSTER_STATE", { path, offset: 0, reason: messageOf(cause) }, { cause });
  }
}

/** Applies the changes to the objects, in order of their revisions; returns the result and its last revision. */
export function resultOf({ revision, objects, changes }: RestoredState): {
  readonly revision: number;
  readonly objects: readonly KeptObject[];
} {
  const kept = new Map(objects.map((entry) => [keyOf(entry.collection, entry.object.metadata), entry]));
  let last = revision ?? 0;
  for (const { object } of objects) last = Math.max(last, Number(object.metadata.resourceVersion));
  for (const change of changes.toSorted((one, other) => one.revision - other.revision)) {
    last = Math.max(last, change.revision);
    if (change.object === undefined) kept.delete(keyOf(change.collection, change));
    else kept.set(keyOf(change.collection, change.object.metadata), change);
  }
  return { revision: last, objects: [...kept.values()] };
}

/** Returns the key of an object, e.g. `pods default/driver`. */
export function keyOf(
  collection: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return namespace === undefined ? `${collection} ${name}` : `${collection} ${namespace}/${name}`;
}
