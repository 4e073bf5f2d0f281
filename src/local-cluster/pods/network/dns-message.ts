/** Codec of the parts of DNS that the cluster's names need. Source: RFC 1035, RFC 2782 (SRV). */

/** Types of records, by their numbers. */
export const recordTypes = { A: 1, CNAME: 5, SOA: 6, PTR: 12, AAAA: 28, SRV: 33, ANY: 255 } as const;

/** Response codes. */
export const responseCodes = { noError: 0, formatError: 1, serverFailure: 2, nameError: 3, notImplemented: 4 } as const;

/** Question of a query. */
export interface Question {
  readonly id: number;
  readonly isRecursionDesired: boolean;
  /** 0 for a standard query. */
  readonly operation: number;
  /** Without the last dot, as the client wrote it. */
  readonly name: string;
  readonly type: number;
  /** Bytes of the question, which a response repeats. */
  readonly bytes: Uint8Array;
}

/** Record of a response. Names are without the last dot. */
export type DnsRecord = { readonly name: string } & (
  | { readonly type: "A"; readonly address: string }
  | { readonly type: "CNAME" | "PTR"; readonly target: string }
  | { readonly type: "SRV"; readonly target: string; readonly port: number; readonly weight: number }
);

/** Content of a response. */
export interface DnsResult {
  readonly code: number;
  readonly records: readonly DnsRecord[];
  readonly additional?: readonly DnsRecord[];
}

/** Seconds for which clients may keep a result. CoreDNS uses 5 for Kubernetes' names. */
const lifetimeSeconds = 5;

const headerBytes = 12;
const maxLabelBytes = 63;

/** Parses a query with one question; `undefined` if it is malformed. */
export function parseQuestion(message: Uint8Array): Question | undefined {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < headerBytes + 5 || bytes.readUInt16BE(4) !== 1) return undefined;
  const flags = bytes.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return undefined;
  const labels: string[] = [];
  let at = headerBytes;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || length > maxLabelBytes) return undefined;
    at += 1;
    if (length === 0) break;
    if (at + length > bytes.length || at - headerBytes > 255) return undefined;
    labels.push(bytes.toString("latin1", at, at + length));
    at += length;
  }
  if (at + 4 > bytes.length) return undefined;
  return {
    ...{ id: bytes.readUInt16BE(0), isRecursionDesired: (flags & 0x0100) !== 0, operation: (flags >> 11) & 0xf },
    ...{ name: labels.join("."), type: bytes.readUInt16BE(at), bytes: bytes.subarray(headerBytes, at + 4) },
  };
}

/** Formats a query with one question. */
export function formatQuery({ id, name, type }: Pick<Question, "id" | "name" | "type">): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(0x0100, 2);
  bytes.writeUInt16BE(1, 4);
  const typeAndClass = Buffer.from([type >> 8, type & 0xff, 0, 1]);
  return Buffer.concat([bytes, formatName(name), typeAndClass]);
}

/** Parses the addresses and aliases of a response with one question; skips other records and those of a malformed rest. */
export function parseAddresses(message: Uint8Array): readonly DnsRecord[] {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const records: DnsRecord[] = [];
  let at = (readName(bytes, headerBytes)?.end ?? bytes.length) + 4;
  const count = bytes.length < headerBytes ? 0 : bytes.readUInt16BE(6);
  for (let index = 0; index < count; index += 1) {
    const name = readName(bytes, at);
    if (name === undefined || name.end + 10 > bytes.length) break;
    const type = bytes.readUInt16BE(name.end);
    const start = name.end + 10;
    at = start + bytes.readUInt16BE(name.end + 8);
    if (at > bytes.length) break;
    const target = type === recordTypes.CNAME ? readName(bytes, start)?.name : undefined;
    if (target !== undefined) records.push({ type: "CNAME", name: name.name, target });
    if (type === recordTypes.A && at === start + 4)
      records.push({ type: "A", name: name.name, address: bytes.subarray(start, at).join(".") });
  }
  return records;
}

/** More than any name has. */
const maxLabels = 128;

/** Reads a name, which can point to an earlier one; `undefined` if it is malformed. `end` follows it. */
function readName(bytes: Buffer, start: number): { readonly name: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let at = start;
  let end: number | undefined;
  for (let count = 0; count < maxLabels; count += 1) {
    const length = bytes[at];
    if (length === undefined) return undefined;
    if (length === 0) return { name: labels.join("."), end: end ?? at + 1 };
    if (length >= 0xc0) {
      end ??= at + 2;
      at = ((length & 0x3f) << 8) | (bytes[at + 1] ?? 0);
    } else {
      labels.push(bytes.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
  return undefined;
}

/**
 * Formats an authoritative response. A negative or empty one has the zone's SOA, so that clients keep it for a short time only.
 *
 * @param maxBytes limit; a longer response has no records and is marked as truncated
 */
export function formatResponse(question: Question, result: DnsResult, maxBytes: number): Buffer {
  const { code, records, additional = [] } = result;
  const authority = records.length === 0 ? [soa] : [];
  const sections = [records.map(formatRecord), authority, additional.map(formatRecord)] as const;
  const complete = Buffer.concat([
    header(
      question,
      code,
      sections.map(({ length }) => length),
    ),
    question.bytes,
    ...sections.flat(),
  ]);
  if (complete.length <= maxBytes) return complete;
  return Buffer.concat([header(question, code, [0, 0, 0], true), question.bytes]);
}

function header(question: Question, code: number, counts: readonly number[], isTruncated = false): Buffer {
  const { id, isRecursionDesired } = question;
  const bytes = Buffer.alloc(headerBytes);
  const flags = 0x8480 | (isTruncated ? 0x0200 : 0) | (isRecursionDesired ? 0x0100 : 0);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(flags | code, 2);
  bytes.writeUInt16BE(1, 4);
  for (const [index, count] of counts.entries()) bytes.writeUInt16BE(count, 6 + 2 * index);
  return bytes;
}

function formatRecord(record: DnsRecord): Buffer {
  return resource(record.name, recordTypes[record.type], contentOf(record));
}

function resource(name: string, type: number, content: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(lifetimeSeconds, 4);
  fixed.writeUInt16BE(content.length, 8);
  return Buffer.concat([formatName(name), fixed, content]);
}

function contentOf(record: DnsRecord): Buffer {
  switch (record.type) {
    case "A":
      return Buffer.from(record.address.split(".").map(Number));
    case "CNAME":
    case "PTR":
      return formatName(record.target);
    case "SRV": {
      const fixed = Buffer.alloc(6);
      fixed.writeUInt16BE(record.weight, 2);
      fixed.writeUInt16BE(record.port, 4);
      return Buffer.concat([fixed, formatName(record.target)]);
    }
  }
}

/** Formats a name without compression. */
function formatName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  const parts = labels.map((label) => Buffer.from(label, "latin1").subarray(0, maxLabelBytes));
  return Buffer.concat([...parts.flatMap((part) => [Buffer.from([part.length]), part]), Buffer.from([0])]);
}

/** Domain of the cluster. */
export const clusterDomain = "cluster.local";

const soaNumbers = Buffer.alloc(20);
for (const [index, seconds] of [1, 7200, 1800, 86_400, lifetimeSeconds].entries())
  soaNumbers.writeUInt32BE(seconds, 4 * index);
const soa = resource(
  clusterDomain,
  recordTypes.SOA,
  Buffer.concat([formatName(`ns.dns.${clusterDomain}`), formatName(`hostmaster.${clusterDomain}`), soaNumbers]),
);
