import type { Host } from "../../host/host.ts";
import type { JournaledStore } from "../api/journal.ts";
import { generationPath, generations } from "./restore.ts";
import { openSegment, type Segment } from "./segment.ts";
import { writeSnapshot } from "./snapshot.ts";

/** When to sync writes to disk: before each response, within a second, or when the operating system decides. */
export type SyncMode = "always" | "interval" | "never";

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
interface JournalFiles {
  /** Appends a record atomically: on failure it throws and writes nothing. */
  readonly append: (record: string) => void;
  /** Sets the store whose snapshots replace older records. */
  readonly attach: (store: JournaledStore) => void;
  readonly close: () => void;
}

const syncEveryMs = 1000;
const defaultLimitBytes = 16 * 1024 * 1024;

interface JournalState {
  readonly options: JournalFilesOptions;
  readonly minLimitBytes: number;
  generation: number;
  segment: Segment;
  store: JournaledStore | undefined;
  /** Size at which the journal is compacted. */
  limitBytes: number;
  isCompacting: boolean;
  isClosed: boolean;
  cancelSync: (() => void) | undefined;
}

/** Opens the last journal of a directory for appending. */
export async function openJournalFiles(options: JournalFilesOptions, last: number): Promise<JournalFiles> {
  const { host, directory, limitBytes: minLimitBytes = defaultLimitBytes } = options;
  const state: JournalState = {
    ...{ options, minLimitBytes, limitBytes: minLimitBytes, generation: last, store: undefined },
    segment: await openSegment(host.files, generationPath(directory, "journal", last)),
    ...{ isCompacting: false, isClosed: false, cancelSync: undefined },
  };
  return {
    append: (record) => append(state, record),
    attach(attached) {
      state.store = attached;
    },
    close: () => close(state),
  };
}

function append(state: JournalState, record: string): void {
  const { sync, host } = state.options;
  state.segment.append(record, { isSynced: sync === "always" });
  if (sync === "interval") state.cancelSync ??= host.clock.after(syncEveryMs, () => syncCurrent(state));
  compactIfLarge(state);
}

/** Syncs the segment that is open now, which may be newer than the append that scheduled the sync. */
function syncCurrent(state: JournalState): void {
  const { segment } = state;
  state.cancelSync = undefined;
  segment.syncLater().catch((error: unknown) => {
    // A segment that is already closed was synced before.
    if (segment === state.segment && !state.isClosed) state.options.onFailure(error);
  });
}

function compactIfLarge(state: JournalState): void {
  const { segment, limitBytes, isCompacting, store } = state;
  if (segment.sizeBytes() <= limitBytes || isCompacting || store === undefined) return;
  state.isCompacting = true;
  compact(state, store)
    .catch((error: unknown) => {
      // No data is lost: the existing files are complete.
      state.limitBytes = state.segment.sizeBytes() + state.minLimitBytes;
      state.options.onFailure(error);
    })
    .finally(() => {
      state.isCompacting = false;
    });
}

/** Starts a new journal, writes a snapshot and removes the older files. */
async function compact(state: JournalState, store: JournaledStore): Promise<void> {
  const { host, directory } = state.options;
  const next = state.generation + 1;
  const opened = await openSegment(host.files, generationPath(directory, "journal", next));
  if (state.isClosed) return opened.close();
  switchTo(state, opened);
  const path = generationPath(directory, "snapshot", next);
  const size = await writeSnapshot(host, store, { path, shouldContinue: () => !state.isClosed });
  if (size === undefined) return;
  removeOlder(state.options, next);
  state.limitBytes = Math.max(state.minLimitBytes, 2 * size);
}

function switchTo(state: JournalState, opened: Segment): void {
  if (state.options.sync !== "never") state.segment.sync();
  state.segment.close();
  state.segment = opened;
  state.generation += 1;
}

function close(state: JournalState): void {
  if (state.isClosed) return;
  state.isClosed = true;
  state.cancelSync?.();
  try {
    if (state.options.sync !== "never") state.segment.sync();
  } finally {
    state.segment.close();
  }
}

function removeOlder({ host: { files }, directory }: JournalFilesOptions, kept: number): void {
  for (const kind of ["snapshot", "journal"] as const) {
    for (const number of generations(files, directory, kind))
      if (number < kept) files.remove(generationPath(directory, kind, number));
  }
}
