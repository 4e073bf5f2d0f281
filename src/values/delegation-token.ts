/** A delegation token of a Hadoop service. */
export interface DelegationToken {
  /** Owner, renewer and dates, as the service encodes them. */
  readonly identifier: Uint8Array;
  /** Secret that proves the identifier. */
  readonly password: Uint8Array;
  /** E.g. `HDFS_DELEGATION_TOKEN`. */
  readonly kind: string;
  /** Service that accepts it, e.g. `10.0.0.1:8020`, `ha-hdfs:nameservice1`. */
  readonly service: string;
}

/** Content of a token file. */
export interface HadoopCredentials {
  /** By alias, which is usually the service. */
  readonly tokens: ReadonlyMap<string, DelegationToken>;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
}

/**
 * Parses the text form of a token, which URLs and the REST API of YARN use.
 *
 * Source: Hadoop Token.encodeToUrlString: the Writable form in Base64 for URLs.
 *
 * @throws Error if it is not a token
 */
export function parseTokenText(text: string): DelegationToken {
  const reader = readerOf(Buffer.from(text, "base64url"));
  const token = readToken(reader);
  if (!reader.isAtEnd()) throw new Error("it has more bytes than a token");
  return token;
}

/** Prints a token in its text form. */
export function printTokenText(token: DelegationToken): string {
  return writableToken(token).toString("base64url");
}

/** Content of a token's identifier. Times in ms since 1970. */
interface TokenIdentity {
  readonly owner: string;
  readonly renewer: string;
  readonly realUser: string;
  readonly issuedMs: number;
  /** Time after which it cannot be renewed. */
  readonly maxMs: number;
  readonly sequenceNumber: number;
}

/** Parses the identifier of a token of HDFS. Source: Hadoop AbstractDelegationTokenIdentifier. @throws Error if it is not one */
export function parseTokenIdentifier(identifier: Uint8Array): TokenIdentity {
  const reader = readerOf(identifier);
  const version = reader.byte();
  if (version !== 0) throw new Error(`its identifier has version ${version}`);
  const [owner, renewer, realUser] = [reader.text(), reader.text(), reader.text()];
  const [issuedMs, maxMs, sequenceNumber] = [reader.vint(), reader.vint(), reader.vint()];
  return { owner, renewer, realUser, issuedMs, maxMs, sequenceNumber };
}

const header = "HDTS";

/**
 * Parses a token file of version 0 (Writable) or 1 (protocol buffer).
 *
 * Source: Hadoop Credentials.readTokenStorageStream, Security.proto.
 *
 * @throws Error with the reason as a sentence fragment
 */
export function parseTokenStorage(bytes: Uint8Array): HadoopCredentials {
  const reader = readerOf(bytes);
  if (Buffer.from(reader.bytes(header.length)).toString("latin1") !== header)
    throw new Error("Bad header found in token storage.");
  const version = reader.byte();
  if (version === 0) return readWritable(reader);
  if (version === 1) return readProtocolBuffer(reader.bytes(reader.varint()));
  throw new Error(`Unknown version ${version} in token storage.`);
}

function readWritable(reader: Reader): HadoopCredentials {
  const tokens = new Map<string, DelegationToken>();
  const secrets = new Map<string, Uint8Array>();
  for (let left = reader.vint(); left > 0; left -= 1) tokens.set(reader.text(), readToken(reader));
  for (let left = reader.vint(); left > 0; left -= 1) secrets.set(reader.text(), reader.bytes(reader.vint()));
  return { tokens, secrets };
}

function readToken(reader: Reader): DelegationToken {
  const identifier = reader.bytes(reader.vint());
  const password = reader.bytes(reader.vint());
  return { identifier, password, kind: reader.text(), service: reader.text() };
}

function readProtocolBuffer(bytes: Uint8Array): HadoopCredentials {
  const tokens = new Map<string, DelegationToken>();
  const secrets = new Map<string, Uint8Array>();
  for (const [list, entry] of fieldsOf(bytes)) {
    const fields = new Map(fieldsOf(entry));
    const alias = textOf(fields.get(1));
    const token = fields.get(2);
    if (list === 1 && token !== undefined) tokens.set(alias, protocolToken(token));
    if (list === 2) secrets.set(alias, fields.get(3) ?? new Uint8Array());
  }
  return { tokens, secrets };
}

function protocolToken(bytes: Uint8Array): DelegationToken {
  const fields = new Map(fieldsOf(bytes));
  const [identifier = new Uint8Array(), password = new Uint8Array()] = [fields.get(1), fields.get(2)];
  return { identifier, password, kind: textOf(fields.get(3)), service: textOf(fields.get(4)) };
}

/** Splits a message into its fields, all of which are length-delimited here. */
function fieldsOf(bytes: Uint8Array): readonly (readonly [number, Uint8Array])[] {
  const reader = readerOf(bytes);
  const fields: (readonly [number, Uint8Array])[] = [];
  while (!reader.isAtEnd()) {
    const tag = reader.varint();
    if ((tag & 7) !== 2) throw new Error(`a field of wire type ${tag & 7} is not expected`);
    fields.push([tag >>> 3, reader.bytes(reader.varint())]);
  }
  return fields;
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("utf8");
}

/** Prints a token file: version 0 is what all releases of Hadoop read, and what Spark writes. */
export function printTokenStorage({ tokens, secrets }: HadoopCredentials, version: 0 | 1 = 0): Buffer {
  const start = [Buffer.from(header, "latin1"), Buffer.from([version])];
  if (version === 1) {
    const entries = [
      ...Array.from(tokens, ([alias, token]) => field(1, [field(1, alias), field(2, protocolFields(token))])),
      ...Array.from(secrets, ([alias, secret]) => field(2, [field(1, alias), field(3, secret)])),
    ];
    const message = Buffer.concat(entries);
    return Buffer.concat([...start, varint(message.length), message]);
  }
  return Buffer.concat([
    ...[...start, vint(tokens.size)],
    ...Array.from(tokens, ([alias, token]) => Buffer.concat([writableText(alias), writableToken(token)])),
    vint(secrets.size),
    ...Array.from(secrets, ([alias, secret]) => Buffer.concat([writableText(alias), vint(secret.length), secret])),
  ]);
}

function protocolFields({ identifier, password, kind, service }: DelegationToken): readonly Buffer[] {
  return [field(1, identifier), field(2, password), field(3, kind), field(4, service)];
}

function field(number: number, content: string | Uint8Array | readonly Buffer[]): Buffer {
  const bytes =
    typeof content === "string"
      ? Buffer.from(content)
      : content instanceof Uint8Array
        ? content
        : Buffer.concat([...content]);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function writableToken({ identifier, password, kind, service }: DelegationToken): Buffer {
  return Buffer.concat([
    ...[vint(identifier.length), identifier, vint(password.length), password],
    ...[writableText(kind), writableText(service)],
  ]);
}

function writableText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([vint(bytes.length), bytes]);
}

/** Writes an integer as Hadoop WritableUtils.writeVLong does: one byte from -112 to 127, else a length and the bytes. */
function vint(value: number): Buffer {
  if (value >= -112 && value <= 127) return Buffer.from([value & 0xff]);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([256 - 112 - bytes.length, ...bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

interface Reader {
  readonly byte: () => number;
  readonly bytes: (count: number) => Uint8Array;
  readonly text: () => string;
  /** Integer of WritableUtils, not negative. */
  readonly vint: () => number;
  /** Integer of protocol buffers, not negative. */
  readonly varint: () => number;
  readonly isAtEnd: () => boolean;
}

function readerOf(all: Uint8Array): Reader {
  let position = 0;
  const bytes = (count: number) => {
    if (!(count >= 0) || position + count > all.length) throw new Error("it ends too early");
    position += count;
    return all.subarray(position - count, position);
  };
  const byte = () => bytes(1)[0] ?? 0;
  const vint = () => {
    const first = (byte() << 24) >> 24;
    if (first >= 0) return first;
    if (first >= -112 || first < -120) throw new Error("a length is negative");
    return bytes(-112 - first).reduce((sum, one) => sum * 256 + one, 0);
  };
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      value += (next % 128) * factor;
      if (next < 128) return value;
    }
  };
  return {
    ...{ byte, bytes, vint, varint },
    text: () => Buffer.from(bytes(vint())).toString("utf8"),
    isAtEnd: () => position === all.length,
  };
}
