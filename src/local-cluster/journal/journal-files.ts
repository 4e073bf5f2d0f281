import type { Host } from "../../host/host.ts";
import type { JournaledStore } from "../api/journal.ts";
import { generations, journalPath, snapshotPath } from "./restore.ts";
import { openSegment, type Segment } from "./segment.ts";
import { writeSnapshot } from "./snapshot.ts";

/** When to sync writes to disk: before each response, within a second, or when the operating system decides. */
export type SyncMode = "always" | "interval" | "never";

/** Options of the files of a journal. */
export interface JournalFilesOptions {
  readonly host: Pick<Host, "files" | "clock">;
  readonly directory: string;
  readonly sync: SyncMode;
  /** Size at which a snapshot replaces the journal, unless twice the last snapshot is larger. @default 16 MiB */
  readonly limitBytes?: number;
  /** Called for failures outside of append. */
  readonly onFailure: (error: unknown) => void;
}

/** The files of a journal, which are compacted when they grow too large. */
export interface JournalFiles {
  /** Appends a record atomically: on failure it throws and writes nothing. */
  readonly append: (record: string) => void;
  /** Sets the store whose snapshots replace older records. */
  readonly attach: (store: JournaledStore) => void;
  readonly close: () => void;
}

const syncEveryMs = 1000;
const defaultLimitBytes = 16 * 1024 * 1024;

/** Opens the last journal of a directory for appending. */
export async function openJournalFiles(options: JournalFilesOptions, last: number): Promise<JournalFiles> {
  const { host, directory, sync, onFailure, limitBytes: minLimitBytes = defaultLimitBytes } = options;
  let generation = last;
  let segment = await openSegment(host.files, journalPath(directory, last));
  let store: JournaledStore | undefined;
  let limitBytes = minLimitBytes;
  let isCompacting = false;
  let isClosed = false;
  let cancelSync: (() => void) | undefined;

  function syncLater(synced: Segment): void {
    cancelSync = undefined;
    synced.syncLater().catch((error: unknown) => {
      // A segment that is already closed was synced before.
      if (synced === segment && !isClosed) onFailure(error);
    });
  }

  function switchTo(opened: Segment): void {
    if (sync !== "never") segment.sync();
    segment.close();
    segment = opened;
    generation += 1;
  }

  async function compact(journaled: JournaledStore): Promise<void> {
    const next = generation + 1;
    const opened = await openSegment(host.files, journalPath(directory, next));
    if (isClosed) return opened.close();
    switchTo(opened);
    const path = snapshotPath(directory, next);
    const size = await writeSnapshot(host, journaled, { path, shouldContinue: () => !isClosed });
    if (size === undefined) return;
    removeOlder(options, next);
    limitBytes = Math.max(minLimitBytes, 2 * size);
  }

  function compactIfLarge(): void {
    if (segment.sizeBytes() <= limitBytes || isCompacting || store === undefined) return;
    isCompacting = true;
    compact(store)
      .catch((error: unknown) => {
        // No data is lost: the existing files are complete.
        limitBytes = segment.sizeBytes() + minLimitBytes;
        onFailure(error);
      })
      .finally(() => {
        isCompacting = false;
      });
  }

  return {
    append(record) {
      segment.append(record, { isSynced: sync === "always" });
      if (sync === "interval") cancelSync ??= host.clock.after(syncEveryMs, () => syncLater(segment));
      compactIfLarge();
    },
    attach(attached) {
      store = attached;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      cancelSync?.();
      try {
        if (sync !== "never") segment.sync();
      } finally {
        segment.close();
      }
    },
  };
}

function removeOlder({ host: { files }, directory }: JournalFilesOptions, kept: number): void {
  for (const [kind, pathOf] of [
    ["snapshot", snapshotPath],
    ["journal", journalPath],
  ] as const) {
    for (const number of generations(files, directory, kind))
      if (number < kept) files.remove(pathOf(directory, number));
  }
}
