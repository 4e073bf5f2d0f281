import type { StopSignal } from "../errors/stop-signal.ts";
/**
 * All access to the machine that a program runs on. Other code receives it as an argument.
 *
 * @example
 * ```ts
 * const host: Host = nodeHost();
 * ```
 */
export interface Host {
  /** Arguments after the program's name. */
  readonly argv: readonly string[];
  /** Path of the file that Node runs, to start another copy of this program. */
  readonly programPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** Node's name: linux, darwin, win32. */
  readonly platform: string;
  /** Node's name: x64, arm64. */
  readonly arch: string;
  readonly pid: number;
  /** Logical processors and memory (bytes). */
  readonly machine: { readonly cpus: number; readonly memoryBytes: number };
  /** `uid` and `gid` are -1 where the platform has none. `home` is the home directory. */
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string };
  /** Path of the running Node executable. */
  readonly nodePath: string;
  /** Whether stdin is a terminal. */
  readonly isInputTerminal: boolean;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly spawn: (command: string, args: readonly string[], options?: SpawnOptions) => ChildProcess;
  readonly network: Network;
  /** Imports a JavaScript module: a path or package, resolved from the working directory. Rejects with Node's error. */
  readonly importModule: (specifier: string) => Promise<unknown>;
  /** Sends a signal to a process, or to a process group if `pid` is negative. Returns false if it does not exist. */
  readonly kill: (pid: number, signal: Signal | 0) => boolean;
  /** Calls `listener` for each such signal instead of the default action. @returns a function that removes it */
  readonly onSignal: (signal: HandledSignal, listener: () => void) => () => void;
}

/** Network information of this machine that needs no traffic except name lookups. */
export interface Network {
  /** Resolves a name as other programs on this machine do; an empty list if it has no address. An address resolves to itself. */
  readonly lookUp: (name: string) => Promise<readonly string[]>;
  /** Opens and closes a port (0: any). Returns `undefined` or Node's code: EADDRINUSE, EADDRNOTAVAIL, EACCES, ENOTFOUND. */
  readonly tryListening: (address: string, port: number) => Promise<string | undefined>;
  /** Returns the local address of connections to a host; `undefined` without a route. */
  readonly addressToward: (name: string) => Promise<string | undefined>;
}

/** A signal that this program sends. */
export type Signal = "SIGHUP" | "SIGINT" | "SIGKILL" | "SIGQUIT" | "SIGTERM";

/** A signal that a process can handle. */
export type HandledSignal = Exclude<Signal, "SIGKILL">;

/** A stream of text. Writing never throws: a closed pipe is ignored, and a full disk is reported at the end. */
export interface TextSink {
  /**
   * Writes a string with its control characters made visible, see `visibleText`: messages quote text of others. Writes bytes
   * unchanged: they are the log of a pod, or control the terminal.
   */
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
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. A `background` wait does not keep the program alive. */
  readonly sleep: (ms: number, options?: { signal?: StopSignal; background?: boolean }) => Promise<void>;
  /** Calls `action` after `ms`. @returns a function that cancels the call */
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
  /** IDs of the owner and its group. */
  readonly uid: number;
  readonly gid: number;
}

/**
 * The file system, synchronous: files are small, and start-up time counts.
 *
 * Readers return `undefined` for a missing path and throw Node's error for other failures.
 */
export interface Files {
  readonly readText: (path: string) => string | undefined;
  readonly readBytes: (path: string) => Uint8Array | undefined;
  /** Reads `sizeBytes` bytes from `offset`; fewer at the end. */
  readonly readRange: (path: string, offset: number, sizeBytes: number) => Uint8Array | undefined;
  /** Names in a directory, sorted by default, else in file system order; `undefined` if it is not a directory. */
  readonly list: (directory: string, options?: { sorted?: boolean }) => readonly string[] | undefined;
  /** Follows links by default. */
  readonly info: (path: string, options?: { followLinks?: boolean }) => FileInfo | undefined;
  /** Canonical path, links resolved. */
  readonly realPath: (path: string) => string | undefined;
  readonly readLink: (path: string) => string | undefined;
  /** Device and inode, `device:inode`: the identity of a path, whose last part is not followed if it is a link. */
  readonly identity: (path: string) => string | undefined;
  /** Opens a directory; `undefined` if the path names none, or is a link. The caller must close it. */
  readonly openDirectory: (path: string) => OpenDirectory | undefined;
  /** Creates or replaces in place (the inode stays). Default mode 0644. With `mustCreate`, throws EEXIST if the path exists, even as a link. */
  readonly write: (
    path: string,
    content: string | Uint8Array,
    options?: { mode?: number; mustCreate?: boolean },
  ) => void;
  readonly append: (path: string, content: string | Uint8Array) => void;
  /** Creates a directory and its parents. Does nothing if it exists. */
  readonly makeDirectory: (path: string, options?: { mode?: number }) => void;
  /** Opens a file for appending. A new file has mode 0600, and its name is synced to disk. */
  readonly openAppend: (path: string) => Promise<AppendFile>;
  /** Creates a directory `<prefix><random>` and returns its path. */
  readonly makeTemporaryDirectory: (prefix: string) => string;
  /** Returns the bytes that an unprivileged user can still write to the file system of `path`. */
  readonly freeBytes: (path: string) => number;
  /** The system's directory for temporary files. */
  readonly temporaryRoot: string;
  readonly link: (target: string, path: string) => void;
  /** Gives an existing file a second name. Throws Node's error, e.g. EXDEV on another file system. */
  readonly hardLink: (existing: string, path: string) => void;
  /** Atomically replaces `to`. */
  readonly rename: (from: string, to: string) => void;
  readonly changeMode: (path: string, mode: number) => void;
  /** Sets the time of the last change of a file, in ms since 1970. */
  readonly changeModified: (path: string, modifiedMs: number) => void;
  readonly changeOwner: (path: string, uid: number, gid: number) => void;
  readonly copy: (from: string, to: string) => void;
  /** Removes a file or directory tree. Does nothing if it does not exist. */
  readonly remove: (path: string) => void;
}

/** An open directory. */
export interface OpenDirectory {
  /** Path that names the directory until it is closed, even if other programs move or replace it. */
  readonly path: string;
  readonly close: () => void;
}

/** A file for appending. Appended data survives this process; only synced data survives a crash of the machine. */
export interface AppendFile {
  readonly sizeBytes: () => number;
  /** Throws Node's error, e.g. ENOSPC; a part of the content may then be written. */
  readonly append: (content: string | Uint8Array) => void;
  readonly truncate: (sizeBytes: number) => void;
  /** Blocks until all data is on disk. */
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
  /** `pipe` enables `writeInput`. @default "ignore" */
  readonly stdin?: "ignore" | "inherit" | "pipe";
  /** @default "pipe" */
  readonly stdout?: OutputChoice;
  readonly stderr?: OutputChoice;
  /** Number of further output descriptors, from 3 on, e.g. for `--info-fd 3`. */
  readonly extraOutputs?: number;
}

/**
 * Target of an output. A file is appended to. A `pipe` is a socket, which the child cannot reopen as `/dev/stdout`; a named
 * pipe, created with mkfifo beforehand, it can. `onOutput` reads both.
 */
export type OutputChoice = "ignore" | "inherit" | "pipe" | { readonly file: string } | { readonly namedPipe: string };

/** A started process. */
export interface ChildProcess {
  /** `undefined` if it could not be started; `exited` then has the reason. */
  readonly pid: number | undefined;
  /**
   * Calls the listener with each chunk of stdout (1), stderr (2) or an extra output (3 and up). Register it right after
   * spawn. If the listener returns a promise, reading pauses until it settles.
   */
  readonly onOutput: (descriptor: number, listener: (chunk: Uint8Array) => unknown) => void;
  /** Calls `whenTaken` when the child accepts more input or has ended. */
  readonly writeInput: (chunk: string | Uint8Array, whenTaken?: () => void) => void;
  readonly endInput: () => void;
  readonly kill: (signal: Signal) => void;
  /** Resolves when the process ends. Its own children may still hold its outputs. */
  readonly ended: Promise<ChildExit>;
  /** Resolves when the process has ended and its outputs are closed. */
  readonly exited: Promise<ChildExit>;
  /** Lets this program end while the child runs. */
  readonly release: () => void;
}

/** Result of a child process. */
export interface ChildExit {
  /** Exit code; 128 plus the number of a signal, 127 if the command was not found, 126 if it could not be started. */
  readonly code: number;
  readonly signal: string | undefined;
  /** Reason why it could not be started, e.g. `spawn bwrap ENOENT`. */
  readonly error: string | undefined;
}
