import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { TarballSource } from "../staging-client/localize-config.ts";
import { routeOf } from "../staging-client/server-url.ts";
import type { EntryNames } from "./entry-names.ts";
import { get, type ServerAccess } from "./get.ts";
import type { IncomingDirectory, IncomingFile } from "./incoming-file.ts";
import { LocalizeError, networkError, noSpace } from "./localize-error.ts";
import { type LocalizedFiles, type LocalizeRun, retryTransient } from "./localize-run.ts";
import { readTar, type TarFile, type TarSink } from "./tar/read-tar.ts";
import { TarError } from "./tar/tar-header.ts";

/** Inputs of createUnpacking a tarball besides its source. */
interface TarballWork {
  readonly source: TarballSource;
  readonly access: ServerAccess;
  readonly incoming: IncomingDirectory;
  readonly names: EntryNames;
}

const maxFiles = 65_536;

/** Downloads a flat tar.gz of API v0. Moves its files to their final paths after all of them are complete. @throws LocalizeError */
export async function unpackTarball(run: LocalizeRun, work: TarballWork): Promise<LocalizedFiles> {
  const { source, access } = work;
  const url = routeOf(source.server, `/api/v0/resources/${encodeURIComponent(source.resourceId)}`);
  const shown = `resource ${source.resourceId} of ${source.server}`;
  const unpacked = await retryTransient(run, async () => {
    const { body } = await get({ ...access, url, shown, signal: run.signal });
    const { sink, files } = createUnpacking(run, work);
    const limits = { files: maxFiles, contentBytes: maxContentBytes(source) };
    const sent = { bytes: 0 };
    try {
      await pipeline(
        countBytes(body, sent),
        createGunzip(),
        (chunks: AsyncIterable<Uint8Array>) => readTar(limitRatio(chunks, source, sent), sink, limits),
        { signal: run.signal },
      );
    } catch (error) {
      for (const { file } of files) file.discard();
      throw convertUnpackError(error, shown);
    }
    return files;
  });
  return moveFiles(unpacked, work);
}

interface UnpackedFile extends TarFile {
  readonly file: IncomingFile;
}

function createUnpacking({ host }: LocalizeRun, { incoming }: TarballWork) {
  const files: UnpackedFile[] = [];
  const sink: TarSink = {
    async start(file) {
      const available = host.files.freeBytes(incoming.path);
      if (file.size > available) throw noSpace(String(file.size), available, file.name);
      files.push({ ...file, file: await incoming.open({ entry: file.name, size: file.size }) });
    },
    write: (chunk) => files.at(-1)?.file.append(chunk),
    end: () => files.at(-1)?.file.close(),
  };
  return { sink, files };
}

function moveFiles(unpacked: readonly UnpackedFile[], { source, names }: TarballWork) {
  const origin = `resource ${source.resourceId} of ${source.server}`;
  let bytes = 0;
  for (const { name, size, executable, file } of unpacked) {
    const destination = names.claim({ kind: source.entryKind, name, origin, identity: file.digest() });
    if (destination === undefined) continue;
    file.moveTo({ executable, path: destination.path });
    bytes += size;
  }
  return { files: unpacked.length, bytes };
}

/** Tolerated ratio of the unpacked size to the expected size. */
const sizeTolerance = 1.01;

function maxContentBytes({ totalBytes }: TarballSource): number {
  return totalBytes === undefined ? Number.POSITIVE_INFINITY : Math.ceil(totalBytes * sizeTolerance);
}

async function* countBytes(body: AsyncIterable<Uint8Array>, sent: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    sent.bytes += chunk.length;
    yield chunk;
  }
}

/** Jars hardly shrink in gzip, and text rarely to less than a hundredth. A higher ratio indicates a decompression bomb. */
const maxCompressionRatio = 200;
const alwaysAllowedBytes = 256 * 1024 * 1024;

async function* limitRatio(
  chunks: AsyncIterable<Uint8Array>,
  { totalBytes }: TarballSource,
  sent: { readonly bytes: number },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (totalBytes === undefined && bytes > Math.max(alwaysAllowedBytes, maxCompressionRatio * sent.bytes))
      throw new TarError(`it unpacks to more than ${maxCompressionRatio} times its size`);
    yield chunk;
  }
}

function convertUnpackError(error: unknown, shown: string): LocalizeError {
  if (error instanceof TarError)
    return new LocalizeError("integrity", `${shown} is rejected: ${error.message}`, { entry: error.entry });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("Z_"))
    return new LocalizeError("integrity", `${shown} is not a complete gzip file: ${code}`, { cause: error });
  return networkError(error, shown);
}
