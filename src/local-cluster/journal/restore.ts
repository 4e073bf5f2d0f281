import type { Files } from "../../host/host.ts";
import type { KeptChange, KeptObject, RestoredState } from "../api/journal.ts";
import { type Entry, formatVersion, parseEntry } from "./entry.ts";
import { type Fault, scanRecords } from "./record.ts";

/** A journal file that is corrupt. */
interface Corruption {
  readonly path: string;
  /** Bytes from the file's beginning. */
  readonly offset: number;
  /** Completes "The state of the cluster cannot be read: ". */
  readonly reason: string;
}

/** State that was read from the files of a directory. */
export interface Restoration extends RestoredState {
  /** Number of the last journal, which receives new records. */
  readonly generation: number;
  /** Files whose last record is incomplete; the records before it are valid. */
  readonly torn: readonly Corruption[];
  /** Corruption that prevents further writes; the rest was read. */
  readonly damage: Corruption | undefined;
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
 * Reads the newest snapshot and the journals since. Stops at corruption, because later changes may depend on the lost ones.
 */
export function restore(files: Files, directory: string): Restoration {
  const base = generations(files, directory, "snapshot").at(-1);
  const journals = generations(files, directory, "journal").filter((number) => number >= (base ?? 0));
  const snapshot = base === undefined ? undefined : readSnapshot(files, generationPath(directory, "snapshot", base));
  const first = base ?? journals[0] ?? firstGeneration;
  const isNew = base === undefined && journals.length === 0;
  const read = readJournals(files, directory, { journals, first });
  // A cluster's first change does not have revision 1.
  const beginning = (read.changes[0]?.revision ?? 1) - 1;
  return {
    ...read,
    revision: isNew ? undefined : (snapshot?.revision ?? beginning),
    objects: snapshot?.objects ?? [],
    generation: journals.at(-1) ?? first,
    damage: snapshot?.damage ?? read.damage,
  };
}

function readJournals(
  files: Files,
  directory: string,
  { journals, first }: { readonly journals: readonly number[]; readonly first: number },
): Pick<Restoration, "changes" | "torn" | "damage"> {
  const changes: KeptChange[] = [];
  const torn: Corruption[] = [];
  for (const [index, number] of journals.entries()) {
    const path = generationPath(directory, "journal", number);
    if (number !== first + index)
      return { changes, torn, damage: { path, offset: 0, reason: "the preceding journal is missing" } };
    const read = readJournal(files, path);
    // An incomplete record is the end of the journal only if no journal with changes follows.
    if (read.changes.length > 0 && torn[0] !== undefined) return { changes, torn, damage: torn[0] };
    for (const change of read.changes) changes.push(change);
    if (read.torn !== undefined) torn.push(read.torn);
    if (read.damage !== undefined) return { changes, torn, damage: read.damage };
  }
  return { changes, torn, damage: undefined };
}

interface Snapshot {
  readonly revision: number;
  readonly objects: readonly KeptObject[];
  readonly damage: Corruption | undefined;
}

/** Reads a snapshot. It was renamed when complete, so an incomplete one is corrupt; its readable objects are returned. */
function readSnapshot(files: Files, path: string): Snapshot {
  const { entries, fault } = readEntries(files, path);
  const head = entries.find((entry) => entry.is === "head");
  const objects = entries.filter((entry) => entry.is === "object");
  const end = entries.find((entry) => entry.is === "end");
  const isComplete = head !== undefined && end?.count === objects.length;
  const size = files.info(path)?.sizeBytes ?? 0;
  const broken = fault && { path, offset: fault.offset, reason: "the data is not a valid record" };
  const cut = isComplete ? undefined : { path, offset: size, reason: "the end of the file is missing" };
  const damage = versionFault(path, head) ?? broken ?? cut;
  return { revision: head?.revision ?? 0, objects, damage };
}

function readJournal(files: Files, path: string) {
  const { entries, fault } = readEntries(files, path);
  const head = entries.find((entry) => entry.is === "head");
  const changes = entries.flatMap((entry) => (entry.is === "changes" ? entry.changes : []));
  const at = fault === undefined ? undefined : { path, offset: fault.offset };
  const torn = at && fault?.isTorn === true ? { ...at, reason: "its last record is incomplete" } : undefined;
  const broken = at && fault?.isTorn === false ? { ...at, reason: "the data is not a valid record" } : undefined;
  return { changes, torn, damage: versionFault(path, head) ?? broken };
}

function versionFault(path: string, head: (Entry & { is: "head" }) | undefined): Corruption | undefined {
  if (head === undefined || head.version === formatVersion) return undefined;
  const reason = `it was written by another version of Firesteel (format ${head.version})`;
  return { path, offset: 0, reason };
}

/** Reads the entries before a fault; of a snapshot, also those after it, because its objects are independent. */
function readEntries(files: Files, path: string): { entries: readonly Entry[]; fault: Fault | undefined } {
  const { records, fault, beyond } = scanRecords(files.readBytes(path) ?? new Uint8Array());
  const readable = path.includes("/snapshot-") ? [...records, ...beyond] : records;
  const entries = readable.flatMap((json) => parseEntry(json) ?? []);
  return { entries, fault };
}

/** Applies the changes to the objects; returns the result and its last revision. */
export function resultOf({ revision, objects, changes }: RestoredState): {
  readonly revision: number;
  readonly objects: readonly KeptObject[];
} {
  const kept = new Map(objects.map((entry) => [keyOf(entry.collection, entry.object.metadata), entry]));
  let last = revision ?? 0;
  for (const { object } of objects) last = Math.max(last, Number(object.metadata.resourceVersion));
  for (const change of changes) {
    last = Math.max(last, change.revision);
    if (change.object === undefined) kept.delete(keyOf(change.collection, change));
    else kept.set(keyOf(change.collection, change.object.metadata), change);
  }
  return { revision: last, objects: [...kept.values()] };
}

function keyOf(collection: string, { namespace = "", name }: { namespace?: string | undefined; name: string }) {
  return `${collection} ${namespace}/${name}`;
}
