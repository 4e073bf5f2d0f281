import { gunzipSync } from "node:zlib";
import { messageOf } from "../../errors/message-of.ts";
import type { BundleEntry } from "../../staging-client/bundle.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { readTar } from "../tar/read-tar.ts";

/** The request of the clients of 2017: all contents in one JSON. */
export interface OldRequest {
  /** Base64 of the bytes of the secret's file. */
  readonly secret: string;
  readonly fields: Fields;
}

const unpackedLimitBytes = 64 * 1024 * 1024;

/** Reads a `KubernetesCreateSubmissionRequest`, its archives unopened. @returns why it is none, in words */
export function parseOldRequest(text: string): OldRequest | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return messageOf(error);
  }
  if (!isFields(value)) return "it is no object";
  const { secret } = value;
  return typeof secret === "string" ? { secret, fields: value } : "secret is missing";
}

/** The entries' contents in their order. @throws Error for one that did not come, or has another size */
export async function contentsOf(
  { fields }: OldRequest,
  entries: readonly BundleEntry[],
): Promise<readonly Uint8Array[]> {
  const jars = await unpack(fields["uploadedJarsBase64Contents"]);
  const files = await unpack(fields["uploadedFilesBase64Contents"]);
  const { appResource } = fields;
  if (isFields(appResource)) {
    const { name, resourceBase64Contents: contents } = appResource;
    if (typeof name === "string" && typeof contents === "string") {
      const bytes = Buffer.from(contents, "base64");
      jars.set(name, bytes);
      files.set(name, bytes);
    }
  }
  return entries.map(({ kind, name, size }) => {
    const bytes = (kind === "jar" ? jars : files).get(name);
    if (bytes?.length === size) return bytes;
    throw new Error(`${name} ${bytes === undefined ? "is missing" : `has ${bytes.length} bytes`}`);
  });
}

async function unpack(archive: unknown): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const data = isFields(archive) ? archive["dataBase64"] : undefined;
  if (typeof data !== "string") return files;
  let chunks: Uint8Array[] = [];
  let current = "";
  const sink = {
    begin: ({ name }: { readonly name: string }) => {
      current = name;
      chunks = [];
    },
    write: (chunk: Uint8Array) => {
      chunks.push(chunk);
    },
    end: () => {
      files.set(current, Buffer.concat(chunks));
    },
  };
  try {
    const bytes = gunzipSync(Buffer.from(data, "base64"), { maxOutputLength: unpackedLimitBytes });
    await readTar(onlyChunk(bytes), sink, { files: 10_000, contentBytes: unpackedLimitBytes });
  } catch (error) {
    throw new Error(`an archive is refused: ${messageOf(error)}`);
  }
  return files;
}

async function* onlyChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
