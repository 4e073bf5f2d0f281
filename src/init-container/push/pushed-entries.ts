import type { BundleEntry } from "../../staging-client/bundle.ts";
import type { EntryNames } from "../entry-names.ts";
import type { IncomingDirectory, IncomingFile } from "../incoming-file.ts";
import { LocalizeError } from "../localize-error.ts";
import type { LocalizedFiles } from "../localize-run.ts";

/** Entries whose contents arrive as one concatenated stream. */
export interface PushedEntries {
  readonly entries: readonly BundleEntry[];
  readonly totalBytes: number;
  readonly receivedBytes: () => number;
  readonly isComplete: () => boolean;
  /**
   * Appends bytes. Must not be called with more bytes than are missing.
   *
   * @throws LocalizeError if an entry has the wrong digest
   */
  readonly write: (chunk: Uint8Array) => Promise<void>;
  /** Moves the complete files to their final paths. @throws LocalizeError */
  readonly moveFiles: () => LocalizedFiles;
}

interface Received {
  readonly entry: BundleEntry;
  readonly file: IncomingFile;
}

/** Assigns the names of all entries before the first byte arrives. @throws LocalizeError if two entries conflict */
export function pushedEntries(
  entries: readonly BundleEntry[],
  { incoming, names }: { readonly incoming: IncomingDirectory; readonly names: EntryNames },
): PushedEntries {
  const destinations = entries.map(({ kind, name, digest }) =>
    names.claim({ kind, name, origin: "the submitting client", identity: digest }),
  );
  const totalBytes = entries.reduce((sum, { size }) => sum + size, 0);
  const received: Received[] = [];
  let receivedBytes = 0;
  const isComplete = () => received.length === entries.length && missingOf(received.at(-1)) === 0;
  /** Returns the entry of the next byte. Completes empty entries on the way. */
  const current = async (): Promise<Received | undefined> => {
    for (;;) {
      const last = received.at(-1);
      if (last !== undefined && missingOf(last) > 0) return last;
      const entry = entries[received.length];
      if (entry === undefined) return undefined;
      const file = await incoming.open({ entry: entry.name, size: entry.size });
      received.push({ entry, file });
      if (entry.size === 0) checkDigest({ entry, file });
    }
  };
  return {
    entries,
    totalBytes,
    receivedBytes: () => receivedBytes,
    isComplete,
    async write(chunk) {
      for (let rest = chunk; ; ) {
        const target = await current();
        if (target === undefined || rest.length === 0) return;
        const part = rest.subarray(0, missingOf(target));
        target.file.append(part);
        receivedBytes += part.length;
        rest = rest.subarray(part.length);
        if (missingOf(target) === 0) checkDigest(target);
      }
    },
    moveFiles() {
      for (const [index, { entry, file }] of received.entries()) {
        const path = destinations[index]?.path;
        if (path === undefined) file.discard();
        else file.moveTo({ path, executable: entry.executable });
      }
      return { files: received.length, bytes: receivedBytes };
    },
  };
}

function missingOf(received: Received | undefined): number {
  return received === undefined ? 0 : received.entry.size - received.file.receivedBytes();
}

function checkDigest({ entry: { name, digest }, file }: Received): void {
  file.close();
  if (file.digest() === digest) return;
  const message = `The content received for ${name} has the digest ${file.digest()} instead of ${digest}`;
  throw new LocalizeError("integrity", message, { entry: name });
}
