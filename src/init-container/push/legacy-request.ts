import { gunzipSync } from "node:zlib";
import { messageOf } from "../../errors/message-of.ts";
import type { BundleEntry } from "../../staging-client/bundle.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { exceededJsonLimit, type JsonLimits, printJsonExcess } from "../../values/json-limits.ts";
import { readTar } from "../tar/read-tar.ts";

/** Request of the 2017 protocol, with all contents in one JSON body. */
interface LegacyRequest {
  /** Content of the secret file, in Base64. */
  readonly secret: string;
  readonly fields: Fields;
}

const maxUnpackedBytes = 64 * 1024 * 1024;
/** Far above those of valid requests, whose contents are a few long strings. The secret is known only after parsing. */
const structure: JsonLimits = { maxDepth: 64, maxValues: 10_000, maxNameBytes: 1024 };

/** Parses a `KubernetesCreateSubmissionRequest` without unpacking its archives. Returns the reason if it is invalid. */
export function parseLegacyRequest(body: Buffer): LegacyRequest | string {
  const exceeded = exceededJsonLimit(body, structure);
  if (exceeded !== undefined) return `it ${printJsonExcess(exceeded, structure)}`;
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    return messageOf(error);
  }
  if (!isFields(value)) return "it is not a JSON object";
  const { secret } = value;
  return typeof secret === "string" ? { secret, fields: value } : "secret is missing";
}

/** Unpacks the contents of the entries, in the order of the entries. @throws Error if one is missing or has a different size */
export async function contentsOf(
  { fields }: LegacyRequest,
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
    start: ({ name }: { readonly name: string }) => {
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
    const bytes = gunzipSync(Buffer.from(data, "base64"), { maxOutputLength: maxUnpackedBytes });
    await readTar(singleChunk(bytes), sink, { files: 10_000, contentBytes: maxUnpackedBytes });
  } catch (error) {
    throw new Error(`an archive is invalid: ${messageOf(error)}`);
  }
  return files;
}

async function* singleChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
