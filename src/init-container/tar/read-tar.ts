import { parsePaxRecords } from "./pax-records.ts";
import { blockBytes, isZero, parseTarHeader, TarError, type TarHeader } from "./tar-header.ts";

/** A file in an archive. */
export interface TarFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
}

/** Receiver of the files of an archive. */
export interface TarSink {
  readonly start: (file: TarFile) => void | Promise<void>;
  /** Receives the next bytes of the started file. */
  readonly write: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

/** Limits of an archive. */
export interface TarLimits {
  readonly files: number;
  /** Total size of all files. */
  readonly contentBytes: number;
}

/**
 * Reads a flat tar archive from a stream, in bounded memory. Rejects members that are not regular files in the archive's root,
 * duplicate and unsafe names, truncated archives and data after the end.
 *
 * Supports ustar, pax and GNU's long names. Ignores the root directory and a leading `./`.
 *
 * @throws TarError
 */
export async function readTar(chunks: AsyncIterable<Uint8Array>, sink: TarSink, limits: TarLimits): Promise<void> {
  const input = byteQueue(chunks);
  const names = new Set<string>();
  let contentBytes = 0;
  for (let count = 1; ; count += 1) {
    const member = await nextMember(input);
    if (member === undefined) break;
    if (count > limits.files) throw new TarError(`it has more than ${limits.files} files`);
    const file = toFile(member);
    if (file === undefined) continue;
    if (names.has(file.name)) throw new TarError("it has two files with the same name", file.name);
    names.add(file.name);
    contentBytes += file.size;
    if (contentBytes > limits.contentBytes)
      throw new TarError(`it contains more than the allowed ${limits.contentBytes} bytes`, file.name);
    await sink.start(file);
    for (let rest = file.size; rest > 0; ) {
      const chunk = await input.some(rest);
      sink.write(chunk);
      rest -= chunk.length;
    }
    await skipPadding(input, file.size);
    sink.end();
  }
  await checkEnd(input);
}

interface Member extends TarHeader {
  /** Name from an extended header, which replaces the name in the header. */
  readonly longName?: Uint8Array;
}

/** Limits of the extended headers before a member: bytes of each, and number. */
const maxExtensionBytes = 64 * 1024;
const maxExtensions = 8;

async function nextMember(input: ByteQueue): Promise<Member | undefined> {
  let longName: Uint8Array | undefined;
  let longSize: number | undefined;
  for (let count = 0; count <= maxExtensions; count += 1) {
    const block = await input.exactly(blockBytes);
    if (isZero(block)) {
      if (count > 0) throw new TarError("it ends after an extended header");
      return undefined;
    }
    const header = parseTarHeader(block);
    if (!/[xgLK]/.test(header.type)) {
      const size = longSize ?? header.size;
      return { ...header, size, ...(longName === undefined ? {} : { longName }) };
    }
    if (header.size > maxExtensionBytes) throw new TarError("it has an extended header that is too long");
    const content = await input.exactly(header.size);
    await skipPadding(input, header.size);
    if (header.type === "L") longName = withoutZero(content);
    if (header.type !== "x" && header.type !== "g") continue;
    const records = parsePaxRecords(content);
    rejectUnsupportedRecords(records, header.type);
    longName = records.get("path") ?? longName;
    longSize = parseSize(records.get("size")) ?? longSize;
  }
  throw new TarError("it has too many extended headers in a row");
}

function rejectUnsupportedRecords(records: ReadonlyMap<string, Uint8Array>, type: string): void {
  const keys = [...records.keys()];
  if (keys.some((key) => key.startsWith("GNU.sparse."))) throw new TarError("it has a sparse file");
  if (type === "g" && keys.some((key) => key === "path" || key === "size"))
    throw new TarError("it has a global name or size for all files");
}

function parseSize(value: Uint8Array | undefined): number | undefined {
  if (value === undefined) return undefined;
  const text = Buffer.from(value).toString("latin1");
  if (!/^\d{1,15}$/.test(text)) throw new TarError("it has a file whose size is not a number");
  return Number(text);
}

const kinds: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a character device",
  "4": "a block device",
  "5": "a directory",
  "6": "a named pipe",
  S: "a sparse file",
  V: "a volume label",
};

/** Converts a member to a file. Returns `undefined` for the root directory, which `tar -C dir .` writes first. */
function toFile(member: Member): TarFile | undefined {
  const written = decodeName(member.longName ?? member.name);
  const name = written.replace(/^(?:\.\/+)+/, "");
  if (member.type === "5" && (name === "" || name === ".")) {
    if (member.size !== 0) throw new TarError("it has a directory with content", written);
    return undefined;
  }
  const objection = nameObjection(name);
  if (objection !== undefined) throw new TarError(`it has a member whose name ${objection}`, written);
  if (member.type !== "0" && member.type !== "7")
    throw new TarError(`it has ${kinds[member.type] ?? "a member of unknown kind"}`, written);
  return { name, size: member.size, executable: (member.mode & 0o111) !== 0 };
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TarError("it has a member whose name is not valid UTF-8");
  }
}

const maxNameBytes = 255;

function nameObjection(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "is that of a directory";
  if (name.startsWith("/")) return "is absolute";
  if (name.split("/").includes("..")) return "contains ..";
  if (name.includes("/")) return "has a subdirectory";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return "has control characters";
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`;
  return undefined;
}

function withoutZero(bytes: Uint8Array): Uint8Array {
  const zero = bytes.indexOf(0);
  return zero < 0 ? bytes : bytes.subarray(0, zero);
}

async function skipPadding(input: ByteQueue, sizeBytes: number): Promise<void> {
  await input.exactly((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}

/** Writers pad the last record with zeros. Records are usually 10 KiB. */
const maxPaddingBytes = 1024 * 1024;

async function checkEnd(input: ByteQueue): Promise<void> {
  if (!isZero(await input.exactly(blockBytes))) throw new TarError("it has a single block of zeros instead of two");
  for (let size = 0; ; ) {
    const chunk = await input.rest();
    if (chunk === undefined) return;
    size += chunk.length;
    if (!isZero(chunk) || size > maxPaddingBytes) throw new TarError("it has data after its end");
  }
}

/** Buffered reader over a stream of chunks. */
interface ByteQueue {
  /** Reads between 1 and `maxBytes` bytes. @throws TarError at the end of the stream */
  readonly some: (maxBytes: number) => Promise<Uint8Array>;
  readonly exactly: (size: number) => Promise<Uint8Array>;
  /** Reads the bytes that are available next; `undefined` at the end of the stream. */
  readonly rest: () => Promise<Uint8Array | undefined>;
}

function byteQueue(chunks: AsyncIterable<Uint8Array>): ByteQueue {
  const iterator = chunks[Symbol.asyncIterator]();
  let buffered: Uint8Array = new Uint8Array();
  const fill = async () => {
    while (buffered.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      buffered = next.value;
    }
    return true;
  };
  const some = async (maxBytes: number) => {
    if (!(await fill())) throw new TarError("it is truncated");
    const chunk = buffered.subarray(0, maxBytes);
    buffered = buffered.subarray(chunk.length);
    return chunk;
  };
  return {
    some,
    async exactly(size) {
      if (buffered.length >= size) return size === 0 ? new Uint8Array() : some(size);
      const parts: Uint8Array[] = [];
      for (let rest = size; rest > 0; ) {
        const part = await some(rest);
        parts.push(part);
        rest -= part.length;
      }
      return Buffer.concat(parts);
    },
    async rest() {
      return (await fill()) ? some(buffered.length) : undefined;
    },
  };
}
