import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";

/** Reads the files of a bundle by their path. @param bundle a path or the content */
export async function bundledFiles(bundle: string | Buffer): Promise<Readonly<Record<string, string>>> {
  const entries = await unpackTar(gunzipSync(typeof bundle === "string" ? readFileSync(bundle) : bundle));
  return Object.fromEntries(entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString("utf8")]));
}
