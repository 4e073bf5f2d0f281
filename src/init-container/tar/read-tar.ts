import { parsePaxRecords } from "./pax-records.ts";
import { blockBytes, isZero, parseTarHeader, TarError, type TarHeader } from "./tar-header.ts";

/** A file of an archive. */
export interface TarFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
}

/** Receiver of the files of an archive. */
export interface TarSink {
  readonly begin: (file: TarFile) => void | Promise<void>;
  /** Some of its bytes. */
  readonly write: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

/** Limits of an archive. */
export interface TarLimits {
  readonly files: number;
  /** Of all contents together. */
  readonly contentBytes: number;
}

/**
 * Reads a flat tar archive as it comes, in bounded memory. Strict: what is no plain file directly in it, is named like
 * another one or could mean another place is refused, and so is what is cut off or goes on after its end.
 *
 * Understands ustar, pax and GNU's long names. `.` and a leading `./` are passed over.
 *
 * @throws TarError
 */
export async function readTar(
  chunks: AsyncIterable<Uint8Array>,
  sink: TarSink,
  limits: TarLimits,
): Promise<void> {
  const input = byteQueue(chunks);
  const names = new Set<string>();
  let contentBytes = 0;
  for (let count = 1; ; count += 1) {
    const member = await nextMember(input);
    if (member === undefined) break;
    if (count > limits.files) throw new TarError(`it has more than ${limits.files} files`);
    const file = toFile(member);
    if (file === undefined) continue;
    if (names.has(file.name)) throw new TarError("it has two files of one name", file.name);
    names.add(file.name);
    contentBytes += file.size;
    if (contentBytes > limits.contentBytes)
      throw new TarError(`it holds more than the ${limits.contentBytes} bytes that it may`, file.name);
    await sink.begin(file);
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
  /** Values from an extended header that replace those of the header. */
  readonly longName?: Uint8Array;
}

/** Headers of a member that tell more of the next one are few and small. */
const extensionLimitBytes = 64 * 1024;
const extensionLimit = 8;

async function nextMember(input: ByteQueue): Promise<Member | undefined> {
  let longName: Uint8Array | undefined;
  let longSize: number | undefined;
  for (let count = 0; count <= extensionLimit; count += 1) {
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
    if (header.size > extensionLimitBytes) throw new TarError("it has an extended header that is too long");
    const content = await input.exactly(header.size);
    await skipPadding(input, header.size);
    if (header.type === "L") longName = withoutZero(content);
    if (header.type !== "x" && header.type !== "g") continue;
    const records = parsePaxRecords(content);
    refuseStrange(records, header.type);
    longName = records.get("path") ?? longName;
    longSize = parseSize(records.get("size")) ?? longSize;
  }
  throw new TarError("it has too many extended headers in a row");
}

function refuseStrange(records: ReadonlyMap<string, Uint8Array>, type: string): void {
  const keys = [...records.keys()];
  if (keys.some((key) => key.startsWith("GNU.sparse."))) throw new TarError("it has a file with holes");
  if (type === "g" && keys.some((key) => key === "path" || key === "size"))
    throw new TarError("it gives all its files one name or size");
}

function parseSize(value: Uint8Array | undefined): number | undefined {
  if (value === undefined) return undefined;
  const text = Buffer.from(value).toString("latin1");
  if (!/^\d{1,15}$/.test(text)) throw new TarError("it has a file whose size is no number");
  return Number(text);
}

const kinds: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a character device",
  "4": "a block device",
  "5": "a directory",
  "6": "a named pipe",
  S: "a file with holes",
  V: "a volume label",
};

/** `undefined` for the folder itself, which `tar -C folder .` writes first. */
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
    throw new TarError("it has a member whose name is no UTF-8");
  }
}

const maxNameBytes = 255;

function nameObjection(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "is that of a folder";
  if (name.startsWith("/")) return "is absolute";
  if (name.split("/").includes("..")) return "leads out of the folder";
  if (name.includes("/")) return "is that of a folder within";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
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

/** Writers fill their last record, which is seldom more than 10 KiB, with zeros. */
const paddingLimitBytes = 1024 * 1024;

async function checkEnd(input: ByteQueue): Promise<void> {
  if (!isZero(await input.exactly(blockBytes))) throw new TarError("it has a lone block of zeros");
  for (let size = 0; ; ) {
    const chunk = await input.rest();
    if (chunk === undefined) return;
    size += chunk.length;
    if (!isZero(chunk) || size > paddingLimitBytes) throw new TarError("it goes on after its end");
  }
}

/** Bytes that come in chunks, taken in other pieces. */
interface ByteQueue {
  /** At least one byte and at most so many. */
  readonly some: (most: number) => Promise<Uint8Array>;
  readonly exactly: (size: number) => Promise<Uint8Array>;
  /** Whatever comes next; `undefined` at the end. */
  readonly rest: () => Promise<Uint8Array | undefined>;
}

function byteQueue(chunks: AsyncIterable<Uint8Array>): ByteQueue {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();
  const fill = async () => {
    while (held.length === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      held = next.value;
    }
    return true;
  };
  const some = async (most: number) => {
    if (!(await fill())) throw new TarError("it is cut off");
    const taken = held.subarray(0, most);
    held = held.subarray(taken.length);
    return taken;
  };
  return {
    some,
    async exactly(size) {
      if (held.length >= size) return size === 0 ? new Uint8Array() : some(size);
      const parts: Uint8Array[] = [];
      for (let rest = size; rest > 0; ) {
        const part = await some(rest);
        parts.push(part);
        rest -= part.length;
      }
      return Buffer.concat(parts);
    },
    async rest() {
      return (await fill()) ? some(held.length) : undefined;
    },
  };
}
