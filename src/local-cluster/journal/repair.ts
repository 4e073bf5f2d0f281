import type { Files, Host } from "../../host/host.ts";
import type { KeptObject, RestoredState } from "../api/journal.ts";
import { type Corruption, generationPath, keyOf, type Restoration, resultOf } from "./restore.ts";
import { openSegment } from "./segment.ts";
import { writeSnapshot } from "./snapshot.ts";

/** Result of opening the files of a journal. */
export interface Opening {
  readonly restored: RestoredState;
  /** Notices for users about the files, one sentence each. */
  readonly notices: readonly string[];
  /** Number of the journal that receives new records. */
  readonly generation: number;
}

/**
 * Writes the readable content to a new snapshot and journal, after copying the old files to `damaged-<number>`.
 *
 * The old files are removed last: a repair that is interrupted can be repeated.
 */
export async function repair(
  host: Pick<Host, "files" | "clock">,
  directory: string,
  found: Restoration,
): Promise<Opening> {
  const { files } = host;
  const generation = found.generation + 1;
  const result = resultOf(found);
  const old = (files.list(directory) ?? []).filter((name) => name.endsWith(".log"));
  const backup = copyAll(files, { directory, names: old, generation });
  (await openSegment(files, generationPath(directory, "journal", generation))).close();
  const store = { revision: () => result.revision, objects: () => result.objects };
  const path = generationPath(directory, "snapshot", generation);
  await writeSnapshot(host, store, { path, shouldContinue: () => true });
  for (const name of old) files.remove(`${directory}/${name}`);
  const notices = [
    ...shortened(found.damages.map(printDamage), "damages"),
    `Kept ${countByCollection(result.objects)}.`,
    ...lossNotices(found.damages, result.objects),
    ...orphanNotices(result.objects),
    ...(old.length === 0 ? [] : [`The original files are in ${backup}.`]),
  ];
  return { restored: { ...result, changes: [] }, notices, generation };
}

function copyAll(
  files: Files,
  { directory, names, generation }: { directory: string; names: readonly string[]; generation: number },
): string {
  const backup = `${directory}/damaged-${generation}`;
  if (names.length > 0) files.makeDirectory(backup, { mode: 0o700 });
  for (const name of names) files.copy(`${directory}/${name}`, `${backup}/${name}`);
  return backup;
}

function printDamage({ path, offset, reason }: Corruption): string {
  return `Damage in ${path} at byte ${offset}: ${reason}.`;
}

const maxShown = 20;

function shortened(lines: readonly string[], what: string): readonly string[] {
  const others = lines.length - maxShown;
  return others > 0 ? [...lines.slice(0, maxShown), `${others} further ${what} are not listed.`] : lines;
}

function countByCollection(objects: readonly KeptObject[]): string {
  if (objects.length === 0) return "no objects";
  const counts = new Map<string, number>();
  for (const { collection } of objects) counts.set(collection, (counts.get(collection) ?? 0) + 1);
  const parts = [...counts].sort(([, one], [, other]) => other - one).map(([name, count]) => `${count} ${name}`);
  return `${objects.length} objects: ${parts.join(", ")}`;
}

/** Names the objects in damaged lines, as far as these are readable. */
function lossNotices(damages: readonly Corruption[], objects: readonly KeptObject[]): readonly string[] {
  const kept = new Set(objects.map(({ collection, object }) => keyOf(collection, object.metadata)));
  const named = [...new Set(damages.flatMap(({ text = "" }) => namesIn(text)))];
  const lost = named.filter((key) => !kept.has(key));
  const changed = named.filter((key) => kept.has(key));
  return [
    ...(lost.length === 0 ? [] : [`Lost: ${shortened(lost, "objects").join(", ")}.`]),
    ...(changed.length === 0
      ? []
      : [
          `A change was lost, so these may be older or may have been deleted: ${shortened(changed, "objects").join(", ")}.`,
        ]),
  ];
}

function namesIn(text: string): readonly string[] {
  const collections = [...text.matchAll(/"collection":"([a-z0-9.-]+)"/g)];
  return collections.flatMap(({ 0: match, 1: collection = "", index }, position) => {
    const part = text.slice(index + match.length, collections[position + 1]?.index);
    const start = /^,"object":\{/.test(part) ? part.indexOf('"metadata":{') : 0;
    const [metadata = ""] = start < 0 ? [] : (/^[^{}]*\{?[^{}]*/.exec(part.slice(start)) ?? []);
    const name = /"name":"([^"\\]+)"/.exec(metadata)?.[1];
    const namespace = /"namespace":"([^"\\]+)"/.exec(metadata)?.[1];
    return name === undefined ? [] : [keyOf(collection, { namespace, name })];
  });
}

/** Names the objects that the garbage collector deletes because an owner is lost, as it does on any cluster. */
function orphanNotices(objects: readonly KeptObject[]): readonly string[] {
  const uids = new Set(objects.map(({ object }) => object.metadata.uid));
  const orphans = objects.filter(({ object: { metadata } }) => {
    const owners = metadata.ownerReferences ?? [];
    return owners.length > 0 && owners.every(({ uid }) => !uids.has(uid));
  });
  if (orphans.length === 0) return [];
  const names = orphans.map(({ collection, object }) => keyOf(collection, object.metadata));
  return [
    `The garbage collector will delete objects whose owners are lost: ${shortened(names, "objects").join(", ")}.`,
  ];
}
