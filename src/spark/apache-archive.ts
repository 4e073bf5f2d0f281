import type { Host } from "../host/host.ts";
import { followRedirects, type RedirectPolicy } from "../net/follow-redirects.ts";
import { type HttpConnections, httpConnections } from "../net/http-connections.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import { checksumOf } from "./checksum.ts";
import type { SparkFetch, SparkFetchResult } from "./spark-fetch.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** Releases have 400 to 700 MB. */
const maxArchiveBytes = 4 * 1024 ** 3;
const maxChecksumBytes = 64 * 1024;
const defaultMirror = "https://archive.apache.org/dist/spark";

/**
 * Fetches a Spark home from Apache's archive of releases, or from the mirror in FIRESTEEL_SPARK_MIRROR.
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
  const { clock, env } = host;
  const connections = httpConnections({ clock, findProxy: (server) => proxyFor(server, env) });
  try {
    const maxBytes = maxArchiveBytes;
    await download(host, { connections, url: new URL(url), path, maxBytes, onBytes: transfer.update });
    const checksum = {
      ...{ url: new URL(`${url}.sha512`), path: `${path}.sha512` },
      ...{ maxBytes: maxChecksumBytes, onBytes: () => {} },
    };
    await download(host, { connections, ...checksum });
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  } finally {
    connections.close();
    transfer.end();
  }
  // Older releases break the checksum into groups, over lines, after the file's name and a colon.
  const publishedChecksum = host.files
    .readText(`${path}.sha512`)
    ?.replace(archive, "")
    .replace(/[^0-9a-f]/gi, "");
  const sha512 = checksumOf(host, path, "sha512");
  if (publishedChecksum?.toLowerCase() !== sha512)
    return refused(`the checksum of ${archive} does not match its .sha512 file`);
  const sha256 = checksumOf(host, path, "sha256");
  const problem = await unpackArchive(host, { archive: path, into: `${work}/home` });
  return problem === undefined ? { ok: true, archive, sha256 } : refused(problem);
}

function refused(reason: string): SparkFetchResult {
  return { ok: false, reason: `Apache's archive: ${reason}` };
}

interface Download {
  readonly connections: HttpConnections;
  readonly url: URL;
  readonly path: string;
  readonly maxBytes: number;
  readonly onBytes: (bytes: number, totalBytes?: number) => void;
}

const redirects: RedirectPolicy = {
  maxRedirects: 5,
  reject: ({ kind, from, to }) =>
    new Error(
      kind === "tooMany"
        ? `${printUrl(from.href)} redirects too often`
        : `${printUrl(from.href)} redirects to ${printUrl(to.href)}, which is less secure`,
    ),
};

async function download(host: Host, { connections, url, path, maxBytes, onBytes }: Download): Promise<void> {
  const shown = printUrl(url.href);
  const { status, headers, body, close } = await followRedirects(url, redirects, (target) =>
    connections.send({ method: "GET", url: target }),
  );
  if (status !== 200) {
    close();
    throw new Error(`${shown} responded with ${status}`);
  }
  const length = Number(headers["content-length"] ?? Number.NaN);
  let bytes = 0;
  host.files.write(path, "");
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`${shown} is larger than ${maxBytes} bytes`);
    host.files.append(path, chunk);
    onBytes(bytes, Number.isNaN(length) ? undefined : length);
  }
  if (!Number.isNaN(length) && bytes !== length) throw new Error(`${shown} broke off after ${bytes} bytes`);
}

/** Removes the user name and password of a mirror. */
function printUrl(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/]*@/, "$1");
}
