import { type ChildProcess as NodeChildProcess, spawn as spawnProcess } from "node:child_process";
import * as fs from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { ChildExit, ChildProcess, OutputChoice, SpawnOptions } from "./host.ts";

/** Starts a process. If it cannot start, its exit has the reason. @throws Node's error if an output cannot be opened */
export function spawn(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const { cwd, env, detached = false, stdin = "ignore", extraOutputs = 0 } = options;
  const outputs = openOutputs(options);
  const stdio: StdioOption[] = [stdin, outputs[0].stdio, outputs[1].stdio, ...Array(extraOutputs).fill("pipe")];
  let cover = { stdio, close() {} };
  let child: NodeChildProcess;
  try {
    if (detached) cover = coverInherited(stdio);
    child = spawnProcess(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...(env ?? process.env) },
      detached,
      stdio: cover.stdio,
    });
  } catch (error) {
    // Node emits an event for some failures, but throws for others, such as an argument that is too long.
    for (const output of outputs) closeBothEnds(output);
    return neverStarted(error instanceof Error ? error.message : String(error));
  } finally {
    cover.close();
  }
  // Read named pipes only after the start: without a writer, a reader is at its end at once.
  const pipes = outputs.map(({ readEnd, close }) => {
    close();
    return readEnd === undefined ? undefined : new Socket({ fd: readEnd, readable: true, writable: false });
  });
  const ended = endOf(child, "exit");
  child.stdin?.on("error", () => {});
  return {
    pid: child.pid,
    onOutput(descriptor, listener) {
      const stream = pipes[descriptor - 1] ?? child.stdio[descriptor];
      if (stream !== null && stream !== undefined && "read" in stream) {
        stream.on("data", (chunk) => {
          const handled = listener(chunk);
          if (!(handled instanceof Promise)) return;
          const resume = () => void stream.resume();
          stream.pause();
          handled.then(resume, resume);
        });
      }
    },
    writeInput: (chunk, whenTaken = () => {}) => {
      child.stdin?.write(chunk, whenTaken);
    },
    endInput: () => {
      child.stdin?.end();
    },
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
    exited: Promise.all([endOf(child, "close"), ...pipes.map(endOfPipe)]).then(([exit]) => exit),
    release: () => child.unref(),
  };
}

type StdioOption = "ignore" | "inherit" | "pipe" | number;

/** Linux's O_CLOEXEC, as in `/proc/self/fdinfo`. */
const closedOnExec = 0o2000000;
let inherited: readonly number[] | undefined;

/**
 * Adds `/dev/null` in place of descriptors that this process inherited, e.g. of a shell with an open lock file: a child that
 * survives this process must not keep them. Node closes only the first 16 of them.
 */
function coverInherited(stdio: readonly StdioOption[]): { readonly stdio: StdioOption[]; readonly close: () => void } {
  inherited ??= listInherited();
  const above = inherited.filter((descriptor) => descriptor >= stdio.length);
  if (above.length === 0) return { stdio: [...stdio], close() {} };
  const nothing = fs.openSync("/dev/null", "r+");
  const covered = Array.from({ length: Math.max(...above) + 1 }, (_, descriptor): StdioOption => {
    return stdio[descriptor] ?? (above.includes(descriptor) ? nothing : "ignore");
  });
  return { stdio: covered, close: () => fs.closeSync(nothing) };
}

/** Lists descriptors that children inherit; those that Node opens are not among them. */
function listInherited(): readonly number[] {
  if (process.platform !== "linux") return [];
  return fs.readdirSync("/proc/self/fdinfo").flatMap((name) => {
    const flags = /^flags:\s*([0-7]+)/m.exec(readDescriptor(name))?.[1];
    const isKept = flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0;
    return isKept && Number(name) > 2 ? [Number(name)] : [];
  });
}

function readDescriptor(name: string): string {
  try {
    return fs.readFileSync(`/proc/self/fdinfo/${name}`, "utf8");
  } catch {
    // The descriptor of the directory's listing is closed by now.
    return "";
  }
}

function neverStarted(error: string): ChildProcess {
  const ended = Promise.resolve<ChildExit>({ code: 126, signal: undefined, error });
  return {
    ...{ pid: undefined, ended, exited: ended },
    ...{ onOutput() {}, writeInput() {}, endInput() {}, kill() {}, release() {} },
  };
}

function endOf(child: NodeChildProcess, event: "exit" | "close"): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      if (child.pid === undefined) {
        resolve({ code: isMissing(error) ? 127 : 126, signal: undefined, error: error.message });
      }
    });
    child.once(event, (code: number | null, signal: NodeJS.Signals | null) => {
      const number = signal === null ? 0 : (constants.signals[signal] ?? 0);
      resolve({ code: code ?? 128 + number, signal: signal ?? undefined, error: undefined });
    });
  });
}

function endOfPipe(pipe: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (pipe === undefined) return resolve();
    pipe.on("error", () => {});
    pipe.once("close", () => resolve());
  });
}

interface OpenedOutput {
  readonly stdio: "ignore" | "inherit" | "pipe" | number;
  /** Descriptor of a named pipe's reading end. */
  readonly readEnd?: number;
  /** Closes this process's copy of the writing end. */
  readonly close: () => void;
}

function openOutputs({ stdout, stderr }: SpawnOptions): readonly [OpenedOutput, OpenedOutput] {
  const first = openOutput(stdout);
  try {
    return [first, openOutput(stderr)];
  } catch (error) {
    closeBothEnds(first);
    throw error;
  }
}

function closeBothEnds({ readEnd, close }: OpenedOutput): void {
  close();
  if (readEnd !== undefined) fs.closeSync(readEnd);
}

function openOutput(choice: OutputChoice = "pipe"): OpenedOutput {
  if (typeof choice === "string") return { stdio: choice, close: () => {} };
  if ("file" in choice) {
    const stdio = fs.openSync(choice.file, "a", 0o600);
    return { stdio, close: () => fs.closeSync(stdio) };
  }
  // Open the reading end first and without blocking: opening a named pipe for writing blocks until it has a reader.
  const readEnd = fs.openSync(choice.namedPipe, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const stdio = fs.openSync(choice.namedPipe, fs.constants.O_WRONLY);
    return { stdio, readEnd, close: () => fs.closeSync(stdio) };
  } catch (error) {
    fs.closeSync(readEnd);
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
