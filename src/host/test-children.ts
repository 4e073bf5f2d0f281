import { constants } from "node:os";
import type { ChildExit, ChildProcess, Host, Signal, SpawnOptions } from "./host.ts";

/** A child process whose output and exit a test controls. */
export interface TestChild {
  readonly pid: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** Data written to its stdin so far. */
  readonly input: () => string;
  /** Signals sent to it, in order. */
  readonly signals: readonly Signal[];
  /** Writes to stdout (1), stderr (2) or another descriptor. */
  readonly write: (descriptor: number, text: string) => void;
  /** Ends the child. Later calls do nothing. */
  readonly exit: (code: number, signal?: Signal) => void;
}

/** Controls a child right after it is spawned. The result `"missing"` means that the command does not exist. */
export type ChildScript = (child: TestChild) => unknown;

/** Child processes of a machine in memory. */
interface TestChildren {
  readonly spawn: Host["spawn"];
  readonly kill: Host["kill"];
  /** Every started child, in order. */
  readonly spawned: readonly TestChild[];
}

interface ChildState {
  readonly pid: number;
  readonly signals: Signal[];
  readonly listeners: Map<number, (chunk: Uint8Array) => unknown>;
  /** Chunks that were written before a listener was registered, with their descriptors. */
  readonly buffered: (readonly [descriptor: number, chunk: Uint8Array])[];
  input: string;
  isRunning: boolean;
  readonly end: (exit: ChildExit) => void;
  readonly ended: Promise<ChildExit>;
}

/** Creates children without processes. A child that the script does not end exits on the first signal. */
export function testChildren(script: ChildScript): TestChildren {
  const spawned: TestChild[] = [];
  const states = new Map<number, ChildState>();
  return {
    spawned,
    kill(pid, signal) {
      const state = states.get(Math.abs(pid));
      if (state?.isRunning !== true) return false;
      if (signal !== 0) deliver(state, signal);
      return true;
    },
    spawn(command, args, options = {}) {
      const state = startChild(1001 + spawned.length);
      states.set(state.pid, state);
      const child = scriptedChild(state, { command, args, options });
      spawned.push(child);
      const isMissing = script(child) === "missing";
      if (isMissing) exit(state, { code: 127, signal: undefined, error: `spawn ${command} ENOENT` });
      return { ...childProcess(state), pid: isMissing ? undefined : state.pid };
    },
  };
}

function startChild(pid: number): ChildState {
  let end: (exit: ChildExit) => void = () => {};
  const ended = new Promise<ChildExit>((resolve) => {
    end = resolve;
  });
  return { pid, signals: [], listeners: new Map(), buffered: [], input: "", isRunning: true, end, ended };
}

function scriptedChild(state: ChildState, call: Pick<TestChild, "command" | "args" | "options">): TestChild {
  return {
    ...call,
    pid: state.pid,
    signals: state.signals,
    input: () => state.input,
    write(descriptor, text) {
      const chunk = Buffer.from(text);
      const listener = state.listeners.get(descriptor);
      if (listener === undefined) state.buffered.push([descriptor, chunk]);
      else listener(chunk);
    },
    exit: (code, signal) => exit(state, { code, signal, error: undefined }),
  };
}

function childProcess(state: ChildState): ChildProcess {
  return {
    pid: state.pid,
    onOutput(descriptor, listener) {
      state.listeners.set(descriptor, listener);
      for (const [from, chunk] of state.buffered) if (from === descriptor) listener(chunk);
    },
    writeInput(chunk, whenTaken = () => {}) {
      state.input += Buffer.from(chunk).toString("utf8");
      whenTaken();
    },
    endInput: () => {},
    kill: (signal) => deliver(state, signal),
    ended: state.ended,
    exited: state.ended,
    release: () => {},
  };
}

function deliver(state: ChildState, signal: Signal): void {
  state.signals.push(signal);
  exit(state, { code: 128 + constants.signals[signal], signal, error: undefined });
}

function exit(state: ChildState, result: ChildExit): void {
  state.isRunning = false;
  state.end(result);
}
