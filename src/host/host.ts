import type { StopSignal } from "../errors/stop-signal.ts";
/** All access to the machine that a program runs on. Other code receives it as an argument. */
export interface Host {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  /** Path of the file that Node runs, to start another copy of this program. */
  readonly programPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string;
  /** As Node names it: x64, arm64. */
  readonly arch: string;
  readonly pid: number;
  /** Logical processors and memory (bytes). */
  readonly machine: { readonly cpus: number; readonly memoryBytes: number };
  /** `uid` and `gid` are -1 where the platform has none. `home` is the home directory. */
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string };
  /** The Node that runs us. */
  readonly nodePath: string;
  /** Whether a person can answer on stdin. */
  readonly isInputTerminal: boolean;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly spawn: (command: string, args: readonly string[], options?: SpawnOptions) => ChildProcess;
  readonly network: Network;
  /** Loads a JavaScript module, a path or a package seen from the working directory; rejects with Node's error. */
  readonly importModule: (specifier: string) => Promise<unknown>;
  /** Sends a signal to a process, or to a process group when `pid` is negative; false when it does not exist. */
  readonly kill: (pid: number, signal: Signal | 0) => boolean;
  /** Calls `listener` for each such signal instead of the default action; returns how to stop that. */
  readonly onSignal: (signal: HandledSignal, listener: () => void) => () => void;
}

/** Network information of this machine that needs no traffic except name lookups. */
export interface Network {
  /** The addresses of a name, as programs here see it; none when it has none. An address is its own. */
  readonly lookUp: (name: string) => Promise<readonly string[]>;
  /** Opens a port and closes it again, 0 being any; `undefined`, or Node's code: EADDRINUSE, EADDRNOTAVAIL, EACCES, ENOTFOUND. */
  readonly tryListening: (address: string, port: number) => Promise<string | undefined>;
  /** The address from which this machine would speak to another; `undefined` when it knows no way. */
  readonly addressToward: (name: string) => Promise<string | undefined>;
}

/** A signal that we send. */
export type Signal = "SIGHUP" | "SIGINT" | "SIGKILL" | "SIGQUIT" | "SIGTERM";

/** A signal that a process can handle. */
export type HandledSignal = Exclude<Signal, "SIGKILL">;

/** A stream of text. Writing never throws: a closed pipe is ignored, and a full disk is reported at the end. */
export interface TextSink {
  readonly write: (text: string | Uint8Array) => void;
  readonly isTerminal: boolean;
  /** Width in characters; 80 where unknown. */
  readonly columns: number;
}

/** Times in ms since 1970, waits in ms. */
export interface Clock {
  readonly now: () => number;
  /** Ms of a clock that never steps back; for durations. */
  readonly monotonic: () => number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. Does not keep a program alive by itself when `background`. */
  readonly sleep: (ms: number, options?: { signal?: StopSignal; background?: boolean }) => Promise<void>;
  /** Calls `action` after `ms` unless cancelled. */
  readonly after: (ms: number, action: () => void) => () => void;
}

/** Source of random values. */
export interface Random {
  readonly bytes: (count: number) => Uint8Array;
  /** UUID v4 with dashes. */
  readonly uuid: () => string;
  /** In [0, 1). For jitter only. */
  readonly fraction: () => number;
}

/** File system information of a path. */
export interface FileInfo {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly sizeBytes: number;
  /** Permission bits. */
  readonly mode: number;
  readonly modifiedMs: number;
  /** Identity that stays the same after writes, and differs if another file takes the name. */
  readonly inode: number;
}

/**
 * The file system, synchronous: what we touch is small, and start-up time counts.
 *
 * Readers give `undefined` for what does not exist and throw Node's error for anything else.
 */
export interface Files {
  readonly readText: (path: string) => string | undefined;
  readonly readBytes: (path: string) => Uint8Array | undefined;
  /** `sizeBytes` bytes from `offset` on; fewer at the end. */
  readonly readRange: (path: string, offset: number, sizeBytes: number) => Uint8Array | undefined;
  /** Names in a directory, sorted by default, else in file system order; `undefined` if it is not a directory. */
  readonly list: (directory: string, options?: { sorted?: boolean }) => readonly string[] | undefined;
  /** Follows links by default. */
  readonly info: (path: string, options?: { followLinks?: boolean }) => FileInfo | undefined;
  /** The canonical path, links resolved. */
  readonly realPath: (path: string) => string | undefined;
  readonly readLink: (path: string) => string | undefined;
  /** Creates or replaces in place (the inode stays). Default mode 0644. */
  readonly write: (path: string, content: string | Uint8Array, options?: { mode?: number }) => void;
  readonly append: (path: string, content: string | Uint8Array) => void;
  /** With parents; fine when it exists. */
  readonly makeDirectory: (path: string, options?: { mode?: number }) => void;
  /** Opens a file that only grows, made private to us where it is not there; its name is then safe on the disk, too. */
  readonly openAppend: (path: string) => Promise<AppendFile>;
  /** A new directory `<prefix><random>`. */
  readonly makeTemporaryDirectory: (prefix: string) => string;
  /** Returns the bytes that an unprivileged user can still write to the file system of `path`. */
  readonly freeBytes: (path: string) => number;
  /** The system's directory for temporary files. */
  readonly temporaryRoot: string;
  readonly link: (target: string, path: string) => void;
  /** Atomically replaces `to`. */
  readonly rename: (from: string, to: string) => void;
  readonly changeMode: (path: string, mode: number) => void;
  readonly changeOwner: (path: string, uid: number, gid: number) => void;
  readonly copy: (from: string, to: string) => void;
  /** With everything below; fine when it does not exist. */
  readonly remove: (path: string) => void;
}

/** A file that only grows. What was appended outlives this process; the machine's end only what was synced. */
export interface AppendFile {
  readonly sizeBytes: () => number;
  /** At the end. Throws Node's error, e.g. ENOSPC, and may then have written a part. */
  readonly append: (content: string | Uint8Array) => void;
  readonly truncate: (sizeBytes: number) => void;
  /** Waits until the disk has it all. */
  readonly sync: () => void;
  /** Syncs without blocking the event loop. */
  readonly syncLater: () => Promise<void>;
  readonly close: () => void;
}

/** Options of a child process. */
export interface SpawnOptions {
  readonly cwd?: string;
  /** Complete environment. @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Own session and process group; the child survives this process. */
  readonly detached?: boolean;
  /** Default `ignore`. `pipe` makes `stdin` of the child writable. */
  readonly stdin?: "ignore" | "inherit" | "pipe";
  /** Default `pipe`: then `onOutput` yields. */
  readonly stdout?: OutputChoice;
  readonly stderr?: OutputChoice;
  /** Further descriptors from 3 on that the child writes and we read, e.g. for `--info-fd 3`. */
  readonly extraOutputs?: number;
}

/**
 * Target of an output. A file is appended to. `pipe` is a socket, which the child cannot open again as `/dev/stdout`;
 * through a named pipe, made beforehand with mkfifo, it can. Both are read with `onOutput`.
 */
export type OutputChoice = "ignore" | "inherit" | "pipe" | { readonly file: string } | { readonly namedPipe: string };

/** A started process. */
export interface ChildProcess {
  /** `undefined` if it could not be started; `exited` then has the reason. */
  readonly pid: number | undefined;
  /**
   * Called with each chunk of stdout (1), stderr (2) or an extra output (3 and up). Register at once after spawn. A promise
   * keeps the next chunk back, and in the end the child.
   */
  readonly onOutput: (descriptor: number, listener: (chunk: Uint8Array) => unknown) => void;
  /** `whenTaken` is called when the child can have more, or is gone. */
  readonly writeInput: (chunk: string | Uint8Array, whenTaken?: () => void) => void;
  readonly endInput: () => void;
  readonly kill: (signal: Signal) => void;
  /** Resolves when the process ended, though others that it started may still hold its outputs. */
  readonly ended: Promise<ChildExit>;
  /** Resolves when the process ended and its outputs are closed. */
  readonly exited: Promise<ChildExit>;
  /** Let our program end although this child still runs. */
  readonly release: () => void;
}

/** Result of a child process. */
export interface ChildExit {
  /** 128 plus the number for a signal; 127 when the command was not found, 126 when it could not be started. */
  readonly code: number;
  readonly signal: string | undefined;
  /** Reason why it could not be started, e.g. `spawn bwrap ENOENT`. */
  readonly error: string | undefined;
}
