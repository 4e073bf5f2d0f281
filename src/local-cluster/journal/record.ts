import { crc32 } from "node:zlib";

/** A record and its position. */
export interface PlacedRecord {
  readonly json: string;
  /** Bytes from the file's beginning. */
  readonly offset: number;
}

/** A line that is not a record. */
export interface DamagedLine {
  readonly offset: number;
  readonly sizeBytes: number;
  /** Content in Latin-1. */
  readonly text: string;
}

/** The end of a file whose last write was interrupted. */
export interface TornLine {
  readonly offset: number;
  /** JSON text, if only the end of the line is missing. */
  readonly json: string | undefined;
}

interface Scan {
  /** Records before the first damaged line. */
  readonly records: readonly PlacedRecord[];
  readonly damaged: readonly DamagedLine[];
  /** Records from the first damaged line on, including those that a damaged line still contains. */
  readonly later: readonly PlacedRecord[];
  readonly torn: TornLine | undefined;
}

const newline = 0x0a;
const brace = 0x7d;
const checksumLength = 8;

/** Prints a record: a line with the CRC-32 of its JSON text, as eight hex digits, and that text. */
export function printRecord(json: string): string {
  return `${checksumOf(json)} ${json}\n`;
}

/** Parses the records of a file, and finds its damaged lines. */
export function scanRecords(bytes: Uint8Array): Scan {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: PlacedRecord[] = [];
  const later: PlacedRecord[] = [];
  const damaged: DamagedLine[] = [];
  let start = 0;
  for (let end = content.indexOf(newline); end !== -1; end = content.indexOf(newline, start)) {
    const line = content.subarray(start, end);
    const json = readLine(line);
    if (json !== undefined) (damaged.length === 0 ? records : later).push({ json, offset: start });
    else {
      damaged.push({ offset: start, sizeBytes: line.length, text: line.toString("latin1") });
      for (const found of recordsWithin(line)) later.push({ json: found, offset: start });
    }
    start = end + 1;
  }
  const rest = content.subarray(start);
  const torn = rest.length === 0 ? undefined : { offset: start, json: recordsWithin(rest)[0] };
  return { records, damaged, later, torn };
}

/** Number of following records, and of braces before each, at which the end of a record is searched. */
const maxEnds = 8;

/** Finds records in a line whose end or beginning was overwritten: a lost line end joins two records. */
function recordsWithin(line: Buffer): readonly string[] {
  const starts = [...line.toString("latin1").matchAll(/[0-9a-f]{8} \{/g)].map(({ index }) => index);
  return starts.flatMap((start, index) => {
    const ends = [...starts.slice(index + 1, index + 1 + maxEnds), line.length];
    const candidates = ends.flatMap((end) => bracesBefore(line.subarray(0, end)));
    for (const end of candidates) {
      const json = end < start ? undefined : readLine(line.subarray(start, end + 1));
      if (json !== undefined) return [json];
    }
    return [];
  });
}

/** Returns the positions of the last closing braces, with which records end. */
function bracesBefore(line: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = line.lastIndexOf(brace); at !== -1 && found.length < maxEnds; at = line.lastIndexOf(brace, at - 1)) {
    found.push(at);
    if (at === 0) break;
  }
  return found;
}

function readLine(line: Buffer): string | undefined {
  const json = line.subarray(checksumLength + 1);
  const checksum = line.subarray(0, checksumLength).toString("latin1");
  return line[checksumLength] === 0x20 && checksum === checksumOf(json) ? json.toString("utf8") : undefined;
}

function checksumOf(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(checksumLength, "0");
}
