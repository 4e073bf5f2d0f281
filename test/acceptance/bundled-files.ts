import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";

/** Reads the files of a bundle by their path. */
export async function bundledFiles(path: string): Promise<Readonly<Record<string, string>>> {
  const entries = await unpackTar(gunzipSync(readFileSync(path)));
  return Object.fromEntries(entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString("utf8")]));
}
