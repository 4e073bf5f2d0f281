import * as fs from "node:fs";
import { dirname } from "node:path";
import type { Clock, FileInfo, Files, Host, Network, OpenDirectory, Random, TextSink } from "./host.ts";
import { spawn } from "./node-child-process.ts";
import { visibleText } from "./visible-text.ts";

// Each costs up to 10 % of Node's own start, and `--version` needs neither.
const crypto = () => process.getBuiltinModule("node:crypto");
const os = () => process.getBuiltinModule("node:os");

const stdout = sink(1);
const stderr = sink(2);

/**
 * Returns the real machine. No other file uses `process`, the file system, the clock or randomness.
 *
 * @example
 * ```ts
 * await submit({ host: nodeHost(), invocation });
 * ```
 */
export function nodeHost(): Host {
  return {
    argv: process.argv.slice(2),
    programPath: process.argv[1] ?? "",
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    arch: process.arch,
    pid: process.pid,
    get machine() {
      return { cpus: os().availableParallelism(), memoryBytes: os().totalmem() };
    },
    get user() {
      return user();
    },
    nodePath: process.execPath,
    get isInputTerminal() {
      return process.getBuiltinModule("node:tty").isatty(0);
    },
    stdout,
    stderr,
    files,
    clock,
    random,
    spawn,
    network,
    importModule: async (specifier) => {
      const { findModule } = await import("./find-module.ts");
      return import(findModule(process.cwd(), specifier).href);
    },
    kill(pid, signal) {
      try {
        process.kill(pid, signal);
        return true;
      } catch (error) {
        if (codeOf(error) === "ESRCH") return false;
        throw error;
      }
    },
    onSignal,
  };
}

const network: Network = {
  lookUp: async (...of) => (await loadNetwork()).lookUp(...of),
  tryListening: async (...of) => (await loadNetwork()).tryListening(...of),
  addressToward: async (...of) => (await loadNetwork()).addressToward(...of),
};

async function loadNetwork(): Promise<Network> {
  return (await import("./node-network.ts")).nodeNetwork;
}

/**
 * Ends the program. Waits only for text that slow readers have not yet received: the system closes everything else faster
 * than this program could. Output to stdout that could not be written turns success into a failure.
 */
export function endProgram(exitCode: number): void {
  const whenWritten = () => {
    const failure = stdout.failure();
    if (failure !== undefined) stderr.write(`Error: The standard output could not be written: ${failure}\n`);
    exit(exitCode === 0 && failure !== undefined ? 1 : exitCode);
  };
  stdout.flush(() => stderr.flush(whenWritten));
}

/** Exits. Without exit listeners, skips Node's event, which costs 1% of a start. */
function exit(code: number): never {
  return process.listenerCount("exit") === 0 && "reallyExit" in process && isExit(process.reallyExit)
    ? process.reallyExit(code)
    : process.exit(code);
}

function isExit(value: unknown): value is (code: number) => never {
  return typeof value === "function";
}

const signalHandlers = new Map<string, { readonly listeners: Set<() => void>; readonly notify: () => void }>();

/** Adds a listener. Registers one handler per signal, because Node warns about more than ten and each submission may listen. */
function onSignal(...[signal, listener]: Parameters<Host["onSignal"]>): () => void {
  const { listeners, notify } = signalHandlers.get(signal) ?? registerSignal(signal);
  // The same function may be passed twice.
  const call = () => listener();
  listeners.add(call);
  return () => {
    listeners.delete(call);
    if (listeners.size > 0 || signalHandlers.get(signal)?.notify !== notify) return;
    process.off(signal, notify);
    signalHandlers.delete(signal);
  };
}

function registerSignal(signal: Parameters<Host["onSignal"]>[0]) {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  process.on(signal, notify);
  const entry = { listeners, notify };
  signalHandlers.set(signal, entry);
  return entry;
}

let account: Omit<Host["user"], "home"> | undefined;

function user(): Host["user"] {
  // The lookup reads files or queries a directory server.
  account ??= readAccount();
  return { ...account, home: process.env["HOME"] ?? os().homedir() };
}

function readAccount(): Omit<Host["user"], "home"> {
  const { env } = process;
  try {
    const { username, uid, gid } = os().userInfo();
    return { name: username, uid, gid };
  } catch {
    // No passwd entry for this uid, as in many containers.
    const name = env["USER"] ?? env["LOGNAME"] ?? "?";
    return { name, uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  }
}

interface Descriptor extends TextSink {
  /** Calls `done` when all text is written or lost. */
  readonly flush: (done: () => void) => void;
  /** Reason why output was lost, if any; a reader that closed the pipe (`| head`) is not a failure. */
  readonly failure: () => string | undefined;
}

/**
 * Writes to the descriptor synchronously, because Node's streams take milliseconds to create. Once the descriptor would
 * block, uses the stream. Never throws: output must not change behavior.
 */
function sink(descriptor: 1 | 2): Descriptor {
  let stream: NodeJS.WriteStream | undefined;
  let failure: string | undefined;
  const fail = (error: unknown) => {
    if (!["EPIPE", "EBADF"].includes(codeOf(error) ?? ""))
      failure ??= error instanceof Error ? error.message : String(error);
  };
  const open = () => {
    stream ??= (descriptor === 1 ? process.stdout : process.stderr).on("error", fail);
    return stream;
  };
  return {
    write(text) {
      let rest: Uint8Array = typeof text === "string" ? Buffer.from(visibleText(text)) : text;
      while (rest.length > 0 && stream === undefined) {
        const written = writeSome(descriptor, rest, fail);
        if (written === "lost") return;
        if (written === "full") break;
        if (written === rest.length) return;
        rest = rest.subarray(written);
      }
      if (rest.length > 0) open().write(rest);
    },
    flush(done) {
      if (stream === undefined || stream.writableLength === 0) done();
      else stream.write("", () => done());
    },
    failure: () => failure,
    get isTerminal() {
      return process.getBuiltinModule("node:tty").isatty(descriptor);
    },
    get columns() {
      // Some terminals report a width of 0.
      return open().columns || 80;
    },
  };
}

function writeSome(descriptor: number, bytes: Uint8Array, fail: (error: unknown) => void): number | "full" | "lost" {
  try {
    return fs.writeSync(descriptor, bytes);
  } catch (error) {
    if (codeOf(error) === "EAGAIN") return "full";
    fail(error);
    return "lost";
  }
}

/** Adds the path to errors of write(2), such as ENOSPC, which name only the operation. */
function withPath(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof Error && !("path" in error)) error.message += ` '${path}'`;
    throw error;
  }
}

/** Longest timer: Node turns a longer one into 1 ms. */
const maxTimerMs = 2 ** 31 - 1;

const clock: Clock = {
  now: () => Date.now(),
  // `performance` would load what it can do besides.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep(ms, { signal, background = false } = {}) {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, maxTimerMs));
      if (background) timer.unref();
      signal?.addEventListener("abort", done, { once: true });
    });
  },
  after(ms, action) {
    const timer = setTimeout(action, Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  },
};

const random: Random = {
  bytes: (count) => crypto().randomBytes(count),
  uuid: () => printUuid(crypto().randomBytes(16)),
  fraction: () => Math.random(),
};

/** Prints a version 4 UUID. `crypto.randomUUID` would prepare many, and a submission needs two. Source: RFC 9562, 5.4. */
function printUuid(random: Uint8Array): string {
  const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) % 4)).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20)];
  return [...parts, hex.slice(20)].join("-");
}

const files: Files = {
  readText: (path) => unlessMissing(() => fs.readFileSync(path, "utf8")),
  readBytes: (path) => unlessMissing(() => fs.readFileSync(path)),
  readRange: (path, offset, sizeBytes) => unlessMissing(() => readRange(path, offset, sizeBytes)),
  list: (directory, { sorted = true } = {}) =>
    unlessMissing(() => (sorted ? fs.readdirSync(directory).sort() : storedNames(directory))),
  info: (path, { followLinks = true } = {}) =>
    unlessMissing(() => {
      // Creating an error costs more than the check.
      const stats = (followLinks ? fs.statSync : fs.lstatSync)(path, { throwIfNoEntry: false });
      return stats && fileInfo(stats);
    }),
  realPath: (path) => unlessMissing(() => fs.realpathSync(path)),
  readLink: (path) => unlessMissing(() => fs.readlinkSync(path)),
  identity: (path) =>
    unlessMissing(() => {
      const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
      return stats && `${stats.dev}:${stats.ino}`;
    }),
  openDirectory: (path) => unlessMissing(() => openDirectory(path)),
  write: (path, content, { mode = 0o644, mustCreate = false } = {}) =>
    withPath(path, () => fs.writeFileSync(path, content, { mode, flag: mustCreate ? "wx" : "w" })),
  append: (path, content) => withPath(path, () => fs.appendFileSync(path, content)),
  makeDirectory: (path, { mode = 0o777 } = {}) => makeDirectory(path, mode),
  openAppend: async (path) => (await import("./node-append-file.ts")).openAppendFile(path),
  makeTemporaryDirectory: (prefix) => fs.mkdtempSync(prefix),
  freeBytes: (path) => freeBytes(fs.statfsSync(path)),
  get temporaryRoot() {
    return os().tmpdir();
  },
  link: (target, path) => fs.symlinkSync(target, path),
  hardLink: (existing, path) => fs.linkSync(existing, path),
  rename: (from, to) => fs.renameSync(from, to),
  changeMode: (path, mode) => fs.chmodSync(path, mode),
  changeModified: (path, modifiedMs) => fs.utimesSync(path, modifiedMs / 1000, modifiedMs / 1000),
  changeOwner: (path, uid, gid) => fs.lchownSync(path, uid, gid),
  copy: (from, to) => fs.copyFileSync(from, to),
  remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
};

/** Linux's O_PATH: opens a directory without permission to read it. Node has no constant for it. */
const pathOnly = 0o10000000;

/** Opens a directory. Linux names its descriptors; elsewhere, the path names the directory as long as it is not moved. */
function openDirectory(path: string): OpenDirectory {
  const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  const isLinux = process.platform === "linux";
  const descriptor = fs.openSync(path, O_DIRECTORY | O_NOFOLLOW | (isLinux ? pathOnly : 0));
  return { path: isLinux ? `/proc/self/fd/${descriptor}` : path, close: () => fs.closeSync(descriptor) };
}

/** Lists names in file system order; Node's `readdir` sorts them. */
function storedNames(path: string): readonly string[] {
  const directory = fs.opendirSync(path);
  const names: string[] = [];
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) names.push(entry.name);
  } finally {
    directory.closeSync();
  }
  return names;
}

/** Reads repeatedly: some file systems return less than requested before the end. */
function readRange(path: string, offset: number, sizeBytes: number): Uint8Array {
  const descriptor = fs.openSync(path, "r");
  try {
    const buffer = Buffer.alloc(sizeBytes);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < sizeBytes; filled += read) {
      read = fs.readSync(descriptor, buffer, filled, sizeBytes - filled, offset + filled);
    }
    return buffer.subarray(0, filled);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Creates parents itself: Node's `recursive` never ends where none can be created, e.g. in /proc. */
function makeDirectory(path: string, mode: number): void {
  if (hasCreatedDirectory(path, mode)) return;
  makeDirectory(dirname(path), mode);
  if (!hasCreatedDirectory(path, mode)) fs.mkdirSync(path, { mode });
}

/** Returns false if the parent is missing. */
function hasCreatedDirectory(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw error;
  }
}

function freeBytes({ bavail, bsize }: fs.StatsFs): number {
  return bavail * bsize;
}

function fileInfo(stats: fs.Stats): FileInfo {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "link" : "other";
  const { size: sizeBytes, mtimeMs: modifiedMs, ino: inode, uid, gid } = stats;
  return { kind, sizeBytes, mode: stats.mode & 0o7777, modifiedMs, inode, uid, gid };
}

/** Errors of a path at which nothing can exist. Node rejects a NUL character as an invalid argument. */
const missingCodes = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"];

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (missingCodes.includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
