import { crc32 } from "node:zlib";

/** A place in a file where it is no journal. */
export interface Fault {
  /** Bytes from the file's beginning. */
  readonly offset: number;
  /** Nothing that could be read follows: the writing was interrupted there. */
  readonly isTorn: boolean;
}

export interface Scan {
  /** JSON texts. */
  readonly records: readonly string[];
  /** The first place where no record is. */
  readonly fault: Fault | undefined;
  /** JSON texts of the records behind the fault. */
  readonly beyond: readonly string[];
}

const newline = 0x0a;
const checksumLength = 8;

/** A record: a line with the CRC-32 of its JSON text, as eight hex digits, and that text. */
export function printRecord(json: string): string {
  return `${checksumOf(json)} ${json}\n`;
}

/** Reads records up to the first line that is none, and looks what is behind it. */
export function scanRecords(bytes: Uint8Array): Scan {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: string[] = [];
  const beyond: string[] = [];
  let faultAt: number | undefined;
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(newline, start);
    const json = end === -1 ? undefined : readLine(content.subarray(start, end));
    if (json === undefined) faultAt ??= start;
    else (faultAt === undefined ? records : beyond).push(json);
    start = end === -1 ? content.length : end + 1;
  }
  const fault = faultAt === undefined ? undefined : { offset: faultAt, isTorn: beyond.length === 0 };
  return { records, fault, beyond };
}

function readLine(line: Buffer): string | undefined {
  const json = line.subarray(checksumLength + 1);
  const checksum = line.subarray(0, checksumLength).toString("latin1");
  return line[checksumLength] === 0x20 && checksum === checksumOf(json) ? json.toString("utf8") : undefined;
}

function checksumOf(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(checksumLength, "0");
}
