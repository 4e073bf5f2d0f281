import { submitError } from "../../errors/submit-error.ts";
import type { Journal } from "../api/journal.ts";
import { storageFull } from "../api/status.ts";
import type { StoreEvent } from "../api/store.ts";
import { printChanges } from "./entry.ts";
import { type JournalFilesOptions, openJournalFiles, type SyncMode } from "./journal-files.ts";
import { pendingWrites } from "./pending-writes.ts";
import { printRecord } from "./record.ts";
import { type Opening, repair } from "./repair.ts";
import { type Restoration, restore } from "./restore.ts";
import { openSegment } from "./segment.ts";

/** Options of storing objects, keys and claims in the cluster's directory. */
export interface StorageOptions {
  readonly sync: SyncMode;
  /** Whether to move damaged files aside and keep their readable content, instead of rejecting them. */
  readonly repairs: boolean;
}

export interface JournalOptions extends JournalFilesOptions, StorageOptions {
  /** Whether no cluster has been started in the directory before: then files may be missing. */
  readonly isNew: boolean;
}

export interface FileJournal extends Journal {
  /** Notices for users about the files, one sentence each. */
  readonly notices: readonly string[];
  /** Writes pending changes. The journal accepts no changes afterwards. */
  readonly close: () => void;
}

/**
 * Opens or creates the journal of a directory. Truncates an incomplete last record.
 *
 * @throws SubmitError `SUBMIT_ERR_CLUSTER_STATE` for other damage, unless `repairs` is set
 */
export async function openJournal(options: JournalOptions): Promise<FileJournal> {
  const { host, directory, repairs, onFailure, isNew } = options;
  host.files.makeDirectory(directory, { mode: 0o700 });
  const found = restore(host.files, directory, { isNew });
  const [damage] = found.damages;
  if (damage !== undefined && !repairs) throw submitError("SUBMIT_ERR_CLUSTER_STATE", damage);
  const { restored, notices, generation } =
    damage === undefined ? await truncateTorn(options, found) : await repair(host, directory, found);
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

/** Truncates the records of interrupted writes, and completes those that only lack the end of their line. */
async function truncateTorn({ host: { files } }: JournalOptions, found: Restoration): Promise<Opening> {
  const notices: string[] = [];
  for (const { path, offset, json } of found.torn) {
    const segment = await openSegment(files, path, offset);
    // At the beginning of a file, opening it has written the record.
    if (json !== undefined && offset > 0) segment.append(printRecord(json), { isSynced: true });
    segment.close();
    if (json === undefined)
      notices.push(`The last record of ${path} was incomplete and was truncated at byte ${offset}.`);
  }
  return { restored: found, notices, generation: found.generation };
}
