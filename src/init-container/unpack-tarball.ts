import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { TarballSource } from "../staging-client/localize-config.ts";
import { routeOf } from "../staging-client/server-url.ts";
import type { EntryNames } from "./entry-names.ts";
import { get, type ServerAccess } from "./get.ts";
import { LocalizeError, networkError, noSpace } from "./localize-error.ts";
import { type Localized, type Localizing, retrying } from "./localizing.ts";
import type { IncomingDirectory, PlacedFile } from "./placed-file.ts";
import { readTar, type TarFile, type TarSink } from "./tar/read-tar.ts";
import { TarError } from "./tar/tar-header.ts";

/** Inputs of unpacking a tarball besides its source. */
export interface TarballWork {
  readonly source: TarballSource;
  readonly access: ServerAccess;
  readonly incoming: IncomingDirectory;
  readonly names: EntryNames;
}

const fileLimit = 65_536;

/** Gets a flat tar.gz of API v0 and places its files when all of them are there and right. @returns what they are in all */
export async function unpackTarball(run: Localizing, work: TarballWork): Promise<Localized> {
  const { source, access } = work;
  const url = routeOf(source.server, `/api/v0/resources/${encodeURIComponent(source.resourceId)}`);
  const shown = `resource ${source.resourceId} of ${source.server}`;
  const unpacked = await retrying(run, async () => {
    const { body } = await get({ ...access, url, shown, signal: run.signal });
    const { sink, files } = unpacking(run, work);
    const limits = { files: fileLimit, contentBytes: contentLimit(source) };
    const sent = { bytes: 0 };
    try {
      await pipeline(
        counted(body, sent),
        createGunzip(),
        (chunks: AsyncIterable<Uint8Array>) => readTar(bounded(chunks, source, sent), sink, limits),
        { signal: run.signal },
      );
    } catch (error) {
      for (const { file } of files) file.discard();
      throw unpackError(error, shown);
    }
    return files;
  });
  return assignEntryNames(unpacked, work);
}

interface UnpackedFile extends TarFile {
  readonly file: PlacedFile;
}

function unpacking({ host }: Localizing, { incoming }: TarballWork) {
  const files: UnpackedFile[] = [];
  const sink: TarSink = {
    async begin(file) {
      const available = host.files.freeBytes(incoming.path);
      if (file.size > available) throw noSpace(String(file.size), available, file.name);
      files.push({ ...file, file: await incoming.open({ entry: file.name, size: file.size }) });
    },
    write: (chunk) => files.at(-1)?.file.append(chunk),
    end: () => {},
  };
  return { sink, files };
}

function assignEntryNames(unpacked: readonly UnpackedFile[], { source, names }: TarballWork) {
  const origin = `resource ${source.resourceId} of ${source.server}`;
  let bytes = 0;
  for (const { name, size, executable, file } of unpacked) {
    const destination = names.claim({ kind: source.entryKind, name, origin, identity: file.digest() });
    if (destination === undefined) continue;
    file.place({ executable, path: destination.path });
    bytes += size;
  }
  return { files: unpacked.length, bytes };
}

const slack = 1.01;

function contentLimit({ totalBytes }: TarballSource): number {
  return totalBytes === undefined ? Number.POSITIVE_INFINITY : Math.ceil(totalBytes * slack);
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  sent: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    sent.bytes += chunk.length;
    yield chunk;
  }
}

/** Jars do not shrink in gzip, and even text seldom to a hundredth: what grows more than that was made to grow. */
const maxGrowth = 200;
const harmlessBytes = 256 * 1024 * 1024;

async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  { totalBytes }: TarballSource,
  sent: { readonly bytes: number },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (totalBytes === undefined && bytes > Math.max(harmlessBytes, maxGrowth * sent.bytes))
      throw new TarError(`it unpacks to more than ${maxGrowth} times its size`);
    yield chunk;
  }
}

function unpackError(error: unknown, shown: string): LocalizeError {
  if (error instanceof TarError)
    return new LocalizeError("integrity", `${shown} is refused: ${error.message}`, { entry: error.entry });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("Z_"))
    return new LocalizeError("integrity", `${shown} is no whole gzip file: ${code}`, { cause: error });
  return networkError(error, shown);
}
