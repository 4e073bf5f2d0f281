import type { ChildExit, ChildProcess, Host, Signal, SpawnOptions } from "./host.ts";

/** A child that a test plays: it says what the child writes and how it ends. */
export interface TestChild {
  readonly pid: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** Data written to its stdin so far. */
  readonly input: () => string;
  /** Signals sent to it, in order. */
  readonly signals: readonly Signal[];
  /** The child writes to stdout (1), stderr (2) or another descriptor. */
  readonly write: (descriptor: number, text: string) => void;
  /** The child ends. Later calls do nothing. */
  readonly exit: (code: number, signal?: Signal) => void;
}

/** Plays a child right after it is spawned; the result `"missing"` means that the command does not exist. */
export type ChildScript = (child: TestChild) => unknown;

/** The processes of a machine in memory: those that were started, and what was sent to them. */
export interface TestChildren {
  readonly spawn: Host["spawn"];
  readonly kill: Host["kill"];
  readonly spawned: readonly TestChild[];
}

/** Children without processes. A child that the script does not end dies of the first signal. */
export function testChildren(script: ChildScript): TestChildren {
  const spawned: TestChild[] = [];
  const running = new Map<number, (signal: Signal) => void>();
  let nextPid = 1000;
  return {
    spawned,
    kill(pid, signal) {
      const deliver = running.get(Math.abs(pid));
      if (deliver !== undefined && signal !== 0) deliver(signal);
      return deliver !== undefined;
    },
    spawn(command, args, options = {}): ChildProcess {
      nextPid += 1;
      const pid = nextPid;
      const signals: Signal[] = [];
      const listeners = new Map<number, (chunk: Uint8Array) => unknown>();
      const unheard: (readonly [number, Uint8Array])[] = [];
      let input = "";
      let finish: (exit: ChildExit) => void = () => {};
      const exited = new Promise<ChildExit>((resolve) => {
        finish = resolve;
      });
      const child: TestChild = {
        pid,
        command,
        args,
        options,
        signals,
        input: () => input,
        write(descriptor, text) {
          const chunk = Buffer.from(text);
          const listener = listeners.get(descriptor);
          if (listener === undefined) unheard.push([descriptor, chunk]);
          else listener(chunk);
        },
        exit(code, signal) {
          running.delete(pid);
          finish({ code, signal, error: undefined });
        },
      };
      const deliver = (signal: Signal) => {
        signals.push(signal);
        child.exit(128 + signalNumbers[signal], signal);
      };
      running.set(pid, deliver);
      spawned.push(child);
      const missing = script(child) === "missing";
      if (missing) {
        running.delete(pid);
        finish({ code: 127, signal: undefined, error: `spawn ${command} ENOENT` });
      }
      return {
        pid: missing ? undefined : pid,
        onOutput(descriptor, listener) {
          listeners.set(descriptor, listener);
          for (const [from, chunk] of unheard) if (from === descriptor) listener(chunk);
        },
        writeInput(chunk, whenTaken = () => {}) {
          input += Buffer.from(chunk).toString("utf8");
          whenTaken();
        },
        endInput: () => {},
        kill: deliver,
        ended: exited,
        exited,
        release: () => {},
      };
    },
  };
}

const signalNumbers: Readonly<Record<Signal, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGQUIT: 3,
  SIGTERM: 15,
};
