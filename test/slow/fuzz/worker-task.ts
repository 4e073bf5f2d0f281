/** Data with which a worker starts. */
export interface WorkerStart {
  /** Literals by counter of the instrumented code. */
  readonly literals: readonly (readonly string[])[];
  /** Directory with one directory of seeds per target. */
  readonly seeds: string;
  readonly shared: SharedArrayBuffer;
}

/** Run of one target. */
export interface WorkerTask {
  readonly target: string;
  readonly inputs: number;
  readonly seconds: number;
  readonly seed: string;
  /** Instead of seeds and generated inputs: one input. */
  readonly input?: Uint8Array | undefined;
}

/** An input that a target did not handle. */
export interface Finding {
  /** First line of the report, the same for the same defect. */
  readonly title: string;
  readonly details: string;
  readonly input: Uint8Array;
}

/** Progress of a worker. The command reads it while the worker is busy, and after the worker has died. */
export interface Progress {
  inputs: number;
  /** Counters that the seeds reached, and that all inputs reached. */
  seedBranches: number;
  branches: number;
  slowestMs: number;
  /** Heap and buffers of the worker. */
  peakBytes: number;
  isRunning: boolean;
  /** ID of the worker's thread in /proc, or 0. */
  threadId: number;
  /** The input that runs now, or the last one. */
  current: Uint8Array;
}

const numbers = 8;
const headBytes = numbers * Float64Array.BYTES_PER_ELEMENT;

/** Size of the memory that the command and a worker share: numbers and the current input. */
export const sharedBytes = headBytes + 1024 * 1024;

/** Returns the progress in shared memory. */
export function progressIn(shared: SharedArrayBuffer): Progress {
  const head = new Float64Array(shared, 0, numbers);
  const bytes = new Uint8Array(shared, headBytes);
  const read = (index: number) => head[index] ?? 0;
  return {
    get inputs() {
      return read(0);
    },
    set inputs(value) {
      head[0] = value;
    },
    get seedBranches() {
      return read(1);
    },
    set seedBranches(value) {
      head[1] = value;
    },
    get branches() {
      return read(2);
    },
    set branches(value) {
      head[2] = value;
    },
    get slowestMs() {
      return read(3);
    },
    set slowestMs(value) {
      head[3] = value;
    },
    get peakBytes() {
      return read(6);
    },
    set peakBytes(value) {
      head[6] = value;
    },
    get threadId() {
      return read(7);
    },
    set threadId(value) {
      head[7] = value;
    },
    get isRunning() {
      return read(4) === 1;
    },
    set isRunning(value) {
      head[4] = value ? 1 : 0;
    },
    get current() {
      return bytes.slice(0, read(5));
    },
    set current(input) {
      bytes.set(input);
      head[5] = input.length;
    },
  };
}
