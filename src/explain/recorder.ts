import type { Cause } from "./cause.ts";

/** An input that a part of a submission read. */
export interface Read {
  readonly cause: Cause;
  /** Texts of the input, to find the fields into which it was copied. Empty: not known. */
  readonly texts: readonly string[];
  /** Names of the input in paths of fields, such as the name of a volume. */
  readonly names: readonly string[];
  /** Whether the part may ignore the input: then only fields that contain one of `texts` or `names` depend on it. */
  readonly isOptional: boolean;
}

/** Records the reads of one computation at a time. */
export interface Recorder {
  readonly note: (read: Read) => void;
  readonly noteAll: (reads: readonly Read[]) => void;
  /** Runs a computation. An inner one records for itself and for the outer one. Each read is recorded once. */
  readonly record: <T>(compute: () => T) => { readonly value: T; readonly reads: readonly Read[] };
}

/** Creates a recorder without reads. */
export function createRecorder(): Recorder {
  const running: Set<Read>[] = [];
  const note = (read: Read) => {
    for (const reads of running) reads.add(read);
  };
  return {
    note,
    noteAll(reads) {
      for (const read of reads) note(read);
    },
    record(compute) {
      const reads = new Set<Read>();
      running.push(reads);
      try {
        const value = compute();
        return { value, reads: [...reads] };
      } finally {
        running.splice(running.indexOf(reads), 1);
      }
    },
  };
}
