import type { IncomingMessage } from "node:http";
import type { Host } from "../host/host.ts";
import { checksumOf } from "./checksum.ts";
import type { SparkFetch, SparkFetchResult } from "./spark-fetch.ts";
import { unpackArchive } from "./unpack-archive.ts";

const defaultMirror = "https://archive.apache.org/dist/spark";
const stallMs = 60_000;

/**
 * A Spark home from Apache's archive of releases, or from the mirror that FIRESTEEL_SPARK_MIRROR names.
 *
 * Shape: `<mirror>/spark-4.3.0/spark-4.3.0-bin-hadoop3.tgz`, and its `.sha512` beside it.
 */
export async function fetchApacheArchive(host: Host, fetch: SparkFetch): Promise<SparkFetchResult> {
  const { version, work, progress } = fetch;
  const mirror = (host.env["FIRESTEEL_SPARK_MIRROR"] ?? defaultMirror).replace(/\/+$/, "");
  const archive = `spark-${version}-bin-hadoop3.tgz`;
  const url = `${mirror}/spark-${version}/${archive}`;
  const path = `${work}/${archive}`;
  progress.note(`Getting ${printUrl(url)}`);
  const transfer = progress.transfer(`Spark ${version}`);
  try {
    await download(host, { url, path, onBytes: transfer.update });
    await download(host, { url: `${url}.sha512`, path: `${path}.sha512`, onBytes: () => {} });
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  } finally {
    transfer.end();
  }
  // Older releases break the checksum into groups, over lines, after the file's name and a colon.
  const told = host.files
    .readText(`${path}.sha512`)
    ?.replace(archive, "")
    .replace(/[^0-9a-f]/gi, "");
  const sha512 = checksumOf(host, path, "sha512");
  if (told?.toLowerCase() !== sha512) return refused(`the checksum of ${archive} is not the one beside it`);
  const sha256 = checksumOf(host, path, "sha256");
  const problem = await unpackArchive(host, { archive: path, into: `${work}/home` });
  return problem === undefined ? { ok: true, archive, sha256 } : refused(problem);
}

function refused(reason: string): SparkFetchResult {
  return { ok: false, reason: `Apache's archive: ${reason}` };
}

interface Download {
  readonly url: string;
  readonly path: string;
  readonly onBytes: (bytes: number, totalBytes?: number) => void;
}

async function download(host: Host, { url, path, onBytes }: Download, redirects = 5): Promise<void> {
  const response = await open(url);
  const shown = printUrl(url);
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined && redirects > 0) {
    response.resume();
    const next = new URL(headers.location, url);
    return await download(host, { url: next.href, path, onBytes }, redirects - 1);
  }
  if (statusCode !== 200) {
    response.resume();
    throw new Error(`${shown} answered ${statusCode}`);
  }
  const length = Number(headers["content-length"] ?? Number.NaN);
  let bytes = 0;
  host.files.write(path, "");
  for await (const chunk of response) {
    host.files.append(path, chunk);
    bytes += chunk.length;
    onBytes(bytes, Number.isNaN(length) ? undefined : length);
  }
  if (!Number.isNaN(length) && bytes !== length) throw new Error(`${shown} broke off after ${bytes} bytes`);
}

/** Without the name and password that a mirror may want. */
function printUrl(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/]*@/, "$1");
}

async function open(url: string): Promise<IncomingMessage> {
  const { get } = url.startsWith("http:") ? await import("node:http") : await import("node:https");
  return await new Promise((resolve, reject) => {
    const request = get(url, resolve);
    request.on("error", reject);
    request.setTimeout(stallMs, () =>
      request.destroy(new Error(`${printUrl(url)} stalled for ${stallMs / 1000} s`)),
    );
  });
}
