import type { Host } from "../host/host.ts";
import { readText } from "../host/http-exchange.ts";
import { type BucketAddress, type S3Calls, s3Calls } from "./s3-call.ts";
import { s3Error } from "./s3-error.ts";
import { escapeXml, xmlText, xmlTexts } from "./xml.ts";

/** An object, as its headers tell of it. */
export interface ObjectInfo {
  readonly etag: string;
  readonly sizeBytes: number;
  /** Ms since 1970. */
  readonly modifiedMs: number;
}

/** An object of a list. */
export interface ListedObject extends ObjectInfo {
  readonly key: string;
}

/** A part of an object that is still being made. */
export interface Part {
  /** From 1 on. */
  readonly number: number;
  readonly etag: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** An object of which parts may be there, and which nobody has completed or given up. */
export interface Unfinished {
  readonly key: string;
  readonly id: string;
  readonly begunMs: number;
}

/** What a request is sent with besides its object. */
export interface ObjectOptions {
  readonly signal?: AbortSignal | undefined;
  /** Further headers, e.g. about encryption. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** When an object is to be written; else always. */
export type Condition = { readonly ifAbsent: true } | { readonly ifMatch: string };

/** A bucket of S3. Every method throws S3Error, or Node's error. */
export interface Bucket extends Pick<S3Calls, "presign" | "shown" | "close"> {
  readonly info: (key: string, options?: ObjectOptions) => Promise<ObjectInfo | undefined>;
  readonly readText: (
    key: string,
    options?: ObjectOptions,
  ) => Promise<{ readonly text: string; readonly etag: string } | undefined>;
  /** The bytes from `offset` on, as they come. `undefined` when there is no such object. */
  readonly open: (
    key: string,
    offset?: number,
  ) => Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly close: () => void } | undefined>;
  /** False when the condition was not met. */
  readonly put: (
    key: string,
    content: Uint8Array | string,
    options?: ObjectOptions & { readonly condition?: Condition },
  ) => Promise<boolean>;
  /** Its age begins anew. For objects of at most 5 GiB. */
  readonly renew: (key: string) => Promise<void>;
  /** Fine when there is none. */
  readonly remove: (key: string) => Promise<void>;
  readonly list: (prefix: string) => AsyncIterable<ListedObject>;
  /** Begins an object of parts. @returns its id */
  readonly begin: (key: string, options?: ObjectOptions) => Promise<string>;
  /** @returns its tag */
  readonly putPart: (
    of: { readonly key: string; readonly id: string; readonly number: number },
    content: Uint8Array,
    options?: ObjectOptions,
  ) => Promise<string>;
  /** The parts that are there. `undefined` when no such object has been begun. */
  readonly parts: (key: string, id: string) => Promise<readonly Part[] | undefined>;
  /** False when it has been completed or given up already. */
  readonly complete: (
    key: string,
    id: string,
    parts: readonly Pick<Part, "number" | "etag">[],
  ) => Promise<boolean>;
  readonly giveUp: (key: string, id: string) => Promise<void>;
  readonly unfinished: (prefix: string) => AsyncIterable<Unfinished>;
}

/** Opens a bucket; nothing is asked yet. */
export function openBucket(host: Pick<Host, "clock" | "random">, address: BucketAddress): Bucket {
  const calls = s3Calls(host, address);
  const { send } = calls;
  return {
    ...{ presign: calls.presign, shown: calls.shown, close: calls.close },
    async info(key, options) {
      const answer = await send({ method: "HEAD", key, ...options, expected: [404] });
      answer.close();
      if (answer.status === 404) return undefined;
      const { etag = "", "content-length": length, "last-modified": modified = "" } = answer.headers;
      return { etag, sizeBytes: Number(length), modifiedMs: Date.parse(modified) };
    },
    async readText(key, options) {
      const answer = await send({ method: "GET", key, ...options, expected: [404] });
      const text = await readText(answer);
      return answer.status === 404 ? undefined : { text, etag: answer.headers.etag ?? "" };
    },
    async open(key, offset = 0) {
      const headers = offset === 0 ? {} : { range: `bytes=${offset}-` };
      const answer = await send({ method: "GET", key, headers, expected: [404] });
      if (answer.status !== 404) return answer;
      answer.close();
      return undefined;
    },
    async put(key, content, { condition, headers, signal } = {}) {
      const body = typeof content === "string" ? Buffer.from(content) : content;
      const answer = await send({
        ...{ method: "PUT", key, body, signal },
        headers: { ...headers, ...conditionHeaders(condition) },
        expected: condition === undefined ? [] : "ifMatch" in condition ? [412, 409, 404] : [412, 409],
      });
      answer.close();
      return answer.status < 300;
    },
    async renew(key) {
      const source = `/${address.bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
      const headers = { "x-amz-copy-source": source, "x-amz-metadata-directive": "REPLACE" };
      (await send({ method: "PUT", key, headers })).close();
    },
    async remove(key) {
      (await send({ method: "DELETE", key, expected: [404] })).close();
    },
    list: (prefix) => listAll(calls, prefix),
    async begin(key, options) {
      const answer = await send({ method: "POST", key, query: { uploads: "" }, ...options });
      return required(await readText(answer), "UploadId");
    },
    async putPart({ key, id, number }, content, options) {
      const query = { partNumber: String(number), uploadId: id };
      const answer = await send({ method: "PUT", key, query, body: content, ...options });
      answer.close();
      return answer.headers.etag ?? "";
    },
    parts: (key, id) => listParts(calls, key, id),
    complete: (key, id, parts) => completeParts(calls, { key, id, parts }),
    async giveUp(key, id) {
      (await send({ method: "DELETE", key, query: { uploadId: id }, expected: [404] })).close();
    },
    unfinished: (prefix) => listUnfinished(calls, prefix),
  };
}

function conditionHeaders(condition: Condition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return "ifMatch" in condition ? { "if-match": condition.ifMatch } : { "if-none-match": "*" };
}

async function* listAll({ send }: S3Calls, prefix: string): AsyncGenerator<ListedObject> {
  for (let token: string | undefined = ""; token !== undefined; ) {
    const next: Record<string, string> = token === "" ? {} : { "continuation-token": token };
    const query = { "list-type": "2", "encoding-type": "url", prefix, ...next };
    const xml = await readText(await send({ method: "GET", key: "", query }));
    for (const entry of xmlTexts(xml, "Contents")) {
      yield {
        key: decodeKey(required(entry, "Key")),
        etag: xmlText(entry, "ETag") ?? "",
        sizeBytes: Number(xmlText(entry, "Size")),
        modifiedMs: Date.parse(xmlText(entry, "LastModified") ?? ""),
      };
    }
    const isCut = xmlText(xml, "IsTruncated") === "true";
    token = isCut ? xmlText(xml, "NextContinuationToken") : undefined;
  }
}

async function* listUnfinished({ send }: S3Calls, prefix: string): AsyncGenerator<Unfinished> {
  for (let next: Record<string, string> | undefined = {}; next !== undefined; ) {
    const query = { uploads: "", "encoding-type": "url", prefix, ...next };
    const xml: string = await readText(await send({ method: "GET", key: "", query }));
    for (const entry of xmlTexts(xml, "Upload")) {
      yield {
        key: decodeKey(required(entry, "Key")),
        id: required(entry, "UploadId"),
        begunMs: Date.parse(xmlText(entry, "Initiated") ?? ""),
      };
    }
    const isCut = xmlText(xml, "IsTruncated") === "true";
    const [key, id] = [xmlText(xml, "NextKeyMarker"), xmlText(xml, "NextUploadIdMarker")];
    next = isCut && key ? { "key-marker": decodeKey(key), "upload-id-marker": id ?? "" } : undefined;
  }
}

/** In lists, a plus is a space. */
function decodeKey(text: string): string {
  return decodeURIComponent(text.replaceAll("+", "%20"));
}

async function listParts({ send }: S3Calls, key: string, id: string): Promise<readonly Part[] | undefined> {
  const parts: Part[] = [];
  for (let marker: string | undefined = "0"; marker !== undefined; ) {
    const query = { uploadId: id, "part-number-marker": marker };
    const answer = await send({ method: "GET", key, query, expected: [404] });
    const xml: string = await readText(answer);
    if (answer.status === 404) return undefined;
    for (const part of xmlTexts(xml, "Part")) {
      parts.push({
        number: Number(xmlText(part, "PartNumber")),
        etag: xmlText(part, "ETag") ?? "",
        sizeBytes: Number(xmlText(part, "Size")),
        modifiedMs: Date.parse(xmlText(part, "LastModified") ?? ""),
      });
    }
    marker = xmlText(xml, "IsTruncated") === "true" ? xmlText(xml, "NextPartNumberMarker") : undefined;
  }
  return parts;
}

interface Completion {
  readonly key: string;
  readonly id: string;
  readonly parts: readonly Pick<Part, "number" | "etag">[];
}

async function completeParts({ send, shown }: S3Calls, { key, id, parts }: Completion): Promise<boolean> {
  const lines = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${lines.join("")}</CompleteMultipartUpload>`);
  const headers = { "content-type": "application/xml" };
  const answer = await send({
    ...{ method: "POST", key, query: { uploadId: id }, headers, body },
    expected: [404],
  });
  const xml = await readText(answer);
  if (answer.status === 404) return false;
  // It may have answered 200 before it knew.
  if (xmlText(xml, "Code") !== undefined) throw s3Error(500, xml, `POST ${shown}/${key}`);
  return true;
}

function required(xml: string, name: string): string {
  const text = xmlText(xml, name);
  if (text === undefined) throw new Error(`S3's answer has no ${name}`);
  return text;
}
