import type { Files } from "../../host/host.ts";
import type { KeptChange, KeptObject, RestoredState } from "../api/journal.ts";
import { type Entry, formatVersion, parseEntry } from "./entry.ts";
import { type Fault, scanRecords } from "./record.ts";

/** A file of a journal that cannot be used as it is. */
export interface Corruption {
  readonly path: string;
  /** Bytes from the file's beginning. */
  readonly offset: number;
  /** Completes "The state of the cluster cannot be read: ". */
  readonly reason: string;
}

/** What the files of a folder say. */
export interface Restoration extends RestoredState {
  /** The number of the last journal: what is written next goes there. */
  readonly generation: number;
  /** Files whose last record was not written whole; what is before it is good. */
  readonly torn: readonly Corruption[];
  /** What makes the files unfit to be written on; all else could be read. */
  readonly damage: Corruption | undefined;
}

const firstGeneration = 1;

/** `journal-00000001.log`: what happened after `snapshot-00000001.log`. */
export function journalPath(directory: string, generation: number): string {
  return `${directory}/journal-${String(generation).padStart(8, "0")}.log`;
}

export function snapshotPath(directory: string, generation: number): string {
  return `${directory}/snapshot-${String(generation).padStart(8, "0")}.log`;
}

/** Numbers of the journals or snapshots of a folder, rising. */
export function generations(files: Files, directory: string, kind: "journal" | "snapshot"): number[] {
  const pattern = new RegExp(`^${kind}-(\\d{8})\\.log$`);
  return (files.list(directory) ?? []).flatMap((name) => {
    const digits = pattern.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/**
 * Reads the newest snapshot and the journals from it on. Damage ends the reading of journals: what follows may rest on what it
 * hides.
 */
export function restore(files: Files, directory: string): Restoration {
  const base = generations(files, directory, "snapshot").at(-1);
  const journals = generations(files, directory, "journal").filter((number) => number >= (base ?? 0));
  const snapshot = base === undefined ? undefined : readSnapshot(files, snapshotPath(directory, base));
  const first = base ?? journals[0] ?? firstGeneration;
  const isNew = base === undefined && journals.length === 0;
  const read = readJournals(files, directory, { journals, first });
  // The first change of a cluster does not come at revision 1.
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
    const path = journalPath(directory, number);
    if (number !== first + index)
      return { changes, torn, damage: { path, offset: 0, reason: "the journal before it is missing" } };
    const read = readJournal(files, path);
    // What was torn is the end of what happened only where nothing happened after it.
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

/** A snapshot got its name when it was whole: anything less is damage, and the objects that can be read are told all the same. */
function readSnapshot(files: Files, path: string): Snapshot {
  const { entries, fault } = readEntries(files, path);
  const head = entries.find((entry) => entry.is === "head");
  const objects = entries.filter((entry) => entry.is === "object");
  const end = entries.find((entry) => entry.is === "end");
  const isWhole = head !== undefined && end?.count === objects.length;
  const size = files.info(path)?.sizeBytes ?? 0;
  const damage =
    versionFault(path, head) ??
    (fault === undefined
      ? isWhole
        ? undefined
        : { path, offset: size, reason: "its end is missing" }
      : { path, offset: fault.offset, reason: "what stands there is no record" });
  return { revision: head?.revision ?? 0, objects, damage };
}

function readJournal(files: Files, path: string) {
  const { entries, fault } = readEntries(files, path);
  const head = entries.find((entry) => entry.is === "head");
  const changes = entries.flatMap((entry) => (entry.is === "changes" ? entry.changes : []));
  const at = fault === undefined ? undefined : { path, offset: fault.offset };
  const torn = at && fault?.isTorn === true ? { ...at, reason: "its last record is not whole" } : undefined;
  const broken =
    at && fault?.isTorn === false ? { ...at, reason: "what stands there is no record" } : undefined;
  return { changes, torn, damage: versionFault(path, head) ?? broken };
}

function versionFault(path: string, head: (Entry & { is: "head" }) | undefined): Corruption | undefined {
  if (head === undefined || head.version === formatVersion) return undefined;
  return { path, offset: 0, reason: `it was written by another version of Firesteel (form ${head.version})` };
}

/** The entries before a fault; of a snapshot, whose objects stand each for itself, also those behind it. */
function readEntries(files: Files, path: string): { entries: readonly Entry[]; fault: Fault | undefined } {
  const { records, fault, beyond } = scanRecords(files.readBytes(path) ?? new Uint8Array());
  const readable = path.includes("/snapshot-") ? [...records, ...beyond] : records;
  const entries = readable.flatMap((json) => parseEntry(json) ?? []);
  return { entries, fault };
}

/** Objects as the changes left them, and the revision of the last of these. */
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

function keyOf(
  collection: string,
  { namespace = "", name }: { namespace?: string | undefined; name: string },
) {
  return `${collection} ${namespace}/${name}`;
}
