import { submitError } from "../../errors/submit-error.ts";
import type { Journal } from "../api/journal.ts";
import { storageFull } from "../api/status.ts";
import type { StoreEvent } from "../api/store.ts";
import { printChanges } from "./entry.ts";
import { type JournalFilesOptions, openJournalFiles, type SyncMode } from "./journal-files.ts";
import { pendingWrites } from "./pending-writes.ts";
import { printRecord } from "./record.ts";
import { generationPath, type Restoration, restore, resultOf } from "./restore.ts";
import { openSegment } from "./segment.ts";
import { writeSnapshot } from "./snapshot.ts";

/** Options of storing objects, keys and claims in the cluster's directory. */
export interface StorageOptions {
  readonly sync: SyncMode;
  /** Whether to move corrupt files aside and keep their readable content, instead of rejecting them. */
  readonly repairs: boolean;
}

export interface JournalOptions extends JournalFilesOptions, StorageOptions {}

export interface FileJournal extends Journal {
  /** Notices for users about the files, one sentence each. */
  readonly notices: readonly string[];
  /** Writes pending changes. The journal accepts no changes afterwards. */
  readonly close: () => void;
}

/**
 * Opens or creates the journal of a directory. Truncates an incomplete last record.
 *
 * @throws SubmitError `SUBMIT_ERR_CLUSTER_STATE` for other corruption, unless `repairs` is set
 */
export async function openJournal(options: JournalOptions): Promise<FileJournal> {
  const { host, directory, repairs, onFailure } = options;
  host.files.makeDirectory(directory, { mode: 0o700 });
  const found = restore(host.files, directory);
  if (found.damage !== undefined && !repairs) throw submitError("SUBMIT_ERR_CLUSTER_STATE", found.damage);
  const { restored, notices, generation } =
    found.damage === undefined ? await truncateTorn(options, found) : await moveAside(options, found);
  const files = await openJournalFiles(options, generation);
  const write = (events: readonly StoreEvent[]) => files.append(printRecord(printChanges(events)));
  const late = pendingWrites(host.clock, write);
  const keep = (events: readonly StoreEvent[]) => {
    late.flush();
    write(events);
  };
  return {
    ...{ restored, notices, attach: files.attach },
    keep(events) {
      try {
        keep(events);
      } catch (error) {
        throw storageFull(directory, error instanceof Error ? error.message : String(error));
      }
    },
    keepLater(events) {
      try {
        keep(events);
      } catch {
        late.add(events);
      }
    },
    close() {
      late.stop();
      try {
        late.flush();
        files.close();
      } catch (error) {
        onFailure(error);
      }
    },
  };
}

type Opening = Pick<FileJournal, "restored" | "notices"> & Pick<Restoration, "generation">;

/** Truncates the records of interrupted writes. */
async function truncateTorn({ host: { files } }: JournalOptions, found: Restoration): Promise<Opening> {
  const notices: string[] = [];
  for (const { path, offset } of found.torn) {
    (await openSegment(files, path, offset)).close();
    notices.push(`The last record of ${path} was incomplete and was truncated at byte ${offset}.`);
  }
  return { restored: found, notices, generation: found.generation };
}

/** Writes the readable content to a snapshot, and then moves the corrupt files aside. */
async function moveAside({ host, directory }: JournalOptions, found: Restoration): Promise<Opening> {
  const { files } = host;
  const generation = found.generation + 1;
  const result = resultOf(found);
  const old = (files.list(directory) ?? []).filter((name) => name.endsWith(".log"));
  const store = { revision: () => result.revision, objects: () => result.objects };
  await writeSnapshot(host, store, {
    path: generationPath(directory, "snapshot", generation),
    shouldContinue: () => true,
  });
  (await openSegment(files, generationPath(directory, "journal", generation))).close();
  const backup = `${directory}/damaged-${generation}`;
  files.makeDirectory(backup, { mode: 0o700 });
  for (const name of old) files.rename(`${directory}/${name}`, `${backup}/${name}`);
  const { path = "", offset = 0 } = found.damage ?? {};
  const notices = [`${path} was corrupt at byte ${offset}. The original files are in ${backup}.`];
  return { restored: { ...result, changes: [] }, notices, generation };
}
