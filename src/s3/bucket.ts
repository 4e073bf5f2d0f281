import type { Host } from "../host/host.ts";
import { readText } from "../net/http-connections.ts";
import type { XmlElement } from "../values/xml.ts";
import { type BucketAddress, type S3Calls, s3Calls } from "./s3-call.ts";
import { S3Error, s3Error } from "./s3-error.ts";
import { elementsNamed, escapeXml, parseS3Xml, textOf } from "./xml.ts";

/** Properties of an object, from its headers. */
interface ObjectInfo {
  readonly etag: string;
  readonly sizeBytes: number;
  /** Ms since 1970. */
  readonly modifiedMs: number;
}

/** Object in a list. */
export interface ListedObject extends ObjectInfo {
  readonly key: string;
}

/** Part of an incomplete multipart upload. */
export interface Part {
  /** Counts from 1. */
  readonly number: number;
  readonly etag: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Multipart upload that was neither completed nor aborted. */
interface MultipartUpload {
  readonly key: string;
  readonly id: string;
  readonly startedMs: number;
}

/** Options of a request. */
interface ObjectOptions {
  readonly signal?: AbortSignal | undefined;
  /** @default 6 */
  readonly maxAttempts?: number;
  /** Additional headers, e.g. for encryption. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Condition for writing an object. */
export type Condition = { readonly ifAbsent: true } | { readonly ifMatch: string };

/** S3 bucket. Every method throws S3Error or Node's error. */
export interface Bucket extends Pick<S3Calls, "presign" | "shown" | "close"> {
  readonly info: (key: string, options?: ObjectOptions) => Promise<ObjectInfo | undefined>;
  readonly readText: (
    key: string,
    options?: ObjectOptions,
  ) => Promise<{ readonly text: string; readonly etag: string } | undefined>;
  /** Reads the bytes from `offset` on as a stream. `undefined` when the object does not exist. */
  readonly open: (
    key: string,
    offset?: number,
  ) => Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly close: () => void } | undefined>;
  /** Returns false when the condition was not met. */
  readonly put: (
    key: string,
    content: Uint8Array | string,
    options?: ObjectOptions & { readonly condition?: Condition },
  ) => Promise<boolean>;
  /** Resets the object's age by copying it onto itself. For objects of at most 5 GiB. */
  readonly renew: (key: string) => Promise<void>;
  /** Succeeds when the object does not exist. */
  readonly remove: (key: string) => Promise<void>;
  readonly list: (prefix: string) => AsyncIterable<ListedObject>;
  /** Starts a multipart upload. @returns its ID */
  readonly createUpload: (key: string, options?: ObjectOptions) => Promise<string>;
  /** Uploads one part. @returns its ETag */
  readonly uploadPart: (
    of: { readonly key: string; readonly id: string; readonly number: number },
    content: Uint8Array,
    options?: ObjectOptions,
  ) => Promise<string>;
  /** Lists the uploaded parts. `undefined` when the upload does not exist. */
  readonly listParts: (key: string, id: string) => Promise<readonly Part[] | undefined>;
  /** Returns false when the upload was already completed or aborted. */
  readonly completeUpload: (
    key: string,
    id: string,
    parts: readonly Pick<Part, "number" | "etag">[],
  ) => Promise<boolean>;
  readonly abortUpload: (key: string, id: string) => Promise<void>;
  readonly listUploads: (prefix: string) => AsyncIterable<MultipartUpload>;
}

/** Opens a bucket. Sends no request yet. */
export function openBucket(host: Pick<Host, "clock" | "random">, address: BucketAddress): Bucket {
  const calls = s3Calls(host, address);
  const { presign, shown, close, send } = calls;
  return {
    presign,
    shown,
    close,
    info: (key, options) => readInfo(calls, key, options),
    async readText(key, options) {
      const response = await send({ method: "GET", key, ...options, expected: [404] });
      const text = await readText(response);
      return response.status === 404 ? undefined : { text, etag: response.headers.etag ?? "" };
    },
    async open(key, offset = 0) {
      const headers = offset === 0 ? {} : { range: `bytes=${offset}-` };
      const response = await send({ method: "GET", key, headers, expected: [404] });
      if (response.status !== 404) return response;
      response.close();
      return undefined;
    },
    put: (key, content, options) => putObject(calls, key, content, options),
    async renew(key) {
      const source = `/${address.bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
      const headers = { "x-amz-copy-source": source, "x-amz-metadata-directive": "REPLACE" };
      (await send({ method: "PUT", key, headers })).close();
    },
    async remove(key) {
      (await send({ method: "DELETE", key, expected: [404] })).close();
    },
    list: (prefix) => listAll(calls, prefix),
    async createUpload(key, options) {
      const response = await send({ method: "POST", key, query: { uploads: "" }, ...options });
      return required(requireXml(await readText(response)), "UploadId");
    },
    async uploadPart({ key, id, number }, content, options) {
      const query = { partNumber: String(number), uploadId: id };
      const response = await send({ method: "PUT", key, query, body: content, ...options });
      response.close();
      return response.headers.etag ?? "";
    },
    listParts: (key, id) => listParts(calls, key, id),
    completeUpload: (key, id, parts) => completeUpload(calls, { key, id, parts }),
    async abortUpload(key, id) {
      (await send({ method: "DELETE", key, query: { uploadId: id }, expected: [404] })).close();
    },
    listUploads: (prefix) => listUploads(calls, prefix),
  };
}

async function readInfo({ send }: S3Calls, key: string, options?: ObjectOptions): Promise<ObjectInfo | undefined> {
  const response = await send({ method: "HEAD", key, ...options, expected: [404] });
  response.close();
  if (response.status === 404) return undefined;
  const { etag = "", "content-length": length, "last-modified": modified = "" } = response.headers;
  return { etag, sizeBytes: Number(length), modifiedMs: Date.parse(modified) };
}

async function putObject(calls: S3Calls, ...[key, content, options]: Parameters<Bucket["put"]>): Promise<boolean> {
  const { condition, headers, signal } = options ?? {};
  const body = typeof content === "string" ? Buffer.from(content) : content;
  let isRetried = false;
  const response = await calls.send({
    ...{ method: "PUT", key, body, signal },
    headers: { ...headers, ...conditionHeaders(condition) },
    expected: condition === undefined ? [] : "ifMatch" in condition ? [412, 409, 404] : [412, 409],
    onRetry: () => {
      isRetried = true;
    },
  });
  response.close();
  if (response.status < 300) return true;
  // The condition is not met because an earlier attempt succeeded, if the object has this content.
  return isRetried && (await hasContent(calls, { key, body, signal }));
}

interface ExpectedObject {
  readonly key: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal | undefined;
}

/** Compares the content itself: the entity tag of an encrypted object is not its MD5. */
async function hasContent({ send }: S3Calls, { key, body, signal }: ExpectedObject): Promise<boolean> {
  const response = await send({ method: "GET", key, signal, expected: [404] });
  let sizeBytes = 0;
  try {
    if (response.status === 404) return false;
    for await (const piece of response.body) {
      if (!body.subarray(sizeBytes, sizeBytes + piece.length).every((byte, index) => byte === piece[index]))
        return false;
      sizeBytes += piece.length;
      if (sizeBytes > body.length) return false;
    }
    return sizeBytes === body.length;
  } finally {
    response.close();
  }
}

function conditionHeaders(condition: Condition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return "ifMatch" in condition ? { "if-match": condition.ifMatch } : { "if-none-match": "*" };
}

/** Maximum number of pages of a list: a server that always names a next page would never end. Each has up to 1000 entries. */
const maxPages = 10_000;

async function* listAll({ send }: S3Calls, prefix: string): AsyncGenerator<ListedObject> {
  let token: string | undefined = "";
  for (let page = 1; token !== undefined; page += 1) {
    requireEnd(page);
    const next: Record<string, string> = token === "" ? {} : { "continuation-token": token };
    const query = { "list-type": "2", "encoding-type": "url", prefix, ...next };
    const xml = requireXml(await readText(await send({ method: "GET", key: "", query })));
    for (const entry of elementsNamed(xml, "Contents")) {
      yield {
        key: decodeKey(required(entry, "Key")),
        etag: textOf(entry, "ETag") ?? "",
        sizeBytes: Number(textOf(entry, "Size")),
        modifiedMs: Date.parse(textOf(entry, "LastModified") ?? ""),
      };
    }
    const isCut = textOf(xml, "IsTruncated") === "true";
    token = isCut ? textOf(xml, "NextContinuationToken") : undefined;
  }
}

async function* listUploads({ send }: S3Calls, prefix: string): AsyncGenerator<MultipartUpload> {
  let next: Record<string, string> | undefined = {};
  for (let page = 1; next !== undefined; page += 1) {
    requireEnd(page);
    const query = { uploads: "", "encoding-type": "url", prefix, ...next };
    const xml: XmlElement = requireXml(await readText(await send({ method: "GET", key: "", query })));
    for (const entry of elementsNamed(xml, "Upload")) {
      yield {
        key: decodeKey(required(entry, "Key")),
        id: required(entry, "UploadId"),
        startedMs: Date.parse(textOf(entry, "Initiated") ?? ""),
      };
    }
    const isCut = textOf(xml, "IsTruncated") === "true";
    const [key, id] = [textOf(xml, "NextKeyMarker"), textOf(xml, "NextUploadIdMarker")];
    next = isCut && key ? { "key-marker": decodeKey(key), "upload-id-marker": id ?? "" } : undefined;
  }
}

/** Decodes a key in a list, where a plus is a space. */
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    throw malformedList(`its key ${text.slice(0, 200)} is not URL-encoded`);
  }
}

function requireEnd(page: number): void {
  if (page > maxPages) throw malformedList(`it has more than ${maxPages} pages`);
}

function malformedList(reason: string): S3Error {
  return new S3Error(200, "MalformedResponse", `S3 sent a list that cannot be read: ${reason}`);
}

/** Source: Amazon S3, multipart upload limits. */
const maxParts = 10_000;

async function listParts({ send }: S3Calls, key: string, id: string): Promise<readonly Part[] | undefined> {
  const parts: Part[] = [];
  for (let marker: string | undefined = "0"; marker !== undefined; ) {
    if (parts.length > maxParts) throw malformedList(`an upload has more than ${maxParts} parts`);
    const query = { uploadId: id, "part-number-marker": marker };
    const response = await send({ method: "GET", key, query, expected: [404] });
    const text = await readText(response);
    if (response.status === 404) return undefined;
    const xml: XmlElement = requireXml(text);
    for (const part of elementsNamed(xml, "Part")) {
      parts.push({
        number: Number(textOf(part, "PartNumber")),
        etag: textOf(part, "ETag") ?? "",
        sizeBytes: Number(textOf(part, "Size")),
        modifiedMs: Date.parse(textOf(part, "LastModified") ?? ""),
      });
    }
    marker = textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextPartNumberMarker") : undefined;
  }
  return parts;
}

interface Completion {
  readonly key: string;
  readonly id: string;
  readonly parts: readonly Pick<Part, "number" | "etag">[];
}

async function completeUpload({ send, shown }: S3Calls, { key, id, parts }: Completion): Promise<boolean> {
  const lines = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${lines.join("")}</CompleteMultipartUpload>`);
  const headers = { "content-type": "application/xml" };
  const response = await send({
    ...{ method: "POST", key, query: { uploadId: id }, headers, body },
    expected: [404],
  });
  const xml = await readText(response);
  if (response.status === 404) return false;
  // S3 may send status 200 before it knows the result.
  if (textOf(parseS3Xml(xml), "Code") !== undefined) throw s3Error(500, xml, `POST ${shown}/${key}`);
  return true;
}

function requireXml(text: string): XmlElement {
  const xml = parseS3Xml(text);
  if (xml === undefined) throw new Error("S3's response is not XML");
  return xml;
}

function required(xml: XmlElement, name: string): string {
  const text = textOf(xml, name);
  if (text === undefined) throw new Error(`S3's response has no ${name}`);
  return text;
}
