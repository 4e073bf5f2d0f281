import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import type { Files, Host } from "../../../host/host.ts";
import { type BundleDocuments, type BundleFacts, bundleDocuments } from "./bundle-documents.ts";
import { type BundleManifest, logFile } from "./bundle-manifest.ts";

/** A file of a bundle: text, or a file of this machine. */
interface BundleEntry {
  readonly name: string;
  readonly content: string | { readonly path: string; readonly sizeBytes: number };
}

const pieceBytes = 1024 * 1024;
const newline = 10;

/**
 * Writes a bundle, a tar archive compressed with gzip, for its owner only. Uses `directory` for temporary files.
 *
 * @throws Node's error, e.g. ENOSPC
 */
export async function packBundle(
  host: Pick<Host, "files" | "clock">,
  facts: BundleFacts,
  { directory, path }: { readonly directory: string; readonly path: string },
): Promise<BundleManifest> {
  const { files, clock } = host;
  const created = new Date(facts.observation.now);
  const documents = bundleDocuments(facts, created.toISOString());
  const entries: BundleEntry[] = [...documents.files].map(([name, content]) => ({ name, content }));
  for (const [index, log] of facts.logs.entries()) {
    const copy = `${directory}/shown-${index}`;
    const sizeBytes = copyWithoutSecrets(files, log.paths, { copy, redactor: documents.redactor });
    entries.push({ name: logFile(log.pod, log.container, log.isPrevious), content: { path: copy, sizeBytes } });
    // Let the event loop run between logs.
    await clock.sleep(0);
  }
  await writeArchive(files, entries, { path, created });
  return documents.manifest;
}

/** Copies a log, in pieces that end with a line. @returns the size of the copy */
function copyWithoutSecrets(
  files: Files,
  paths: readonly string[],
  { copy, redactor }: { readonly copy: string } & Pick<BundleDocuments, "redactor">,
): number {
  let sizeBytes = 0;
  let rest = Buffer.alloc(0);
  files.write(copy, "", { mode: 0o600 });
  const put = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    const text = bytes.toString("utf8");
    const shown = redactor.text(text);
    const content = shown === text ? bytes : Buffer.from(shown);
    files.append(copy, content);
    sizeBytes += content.length;
  };
  for (const path of paths) {
    for (let offset = 0; ; offset += pieceBytes) {
      const piece = files.readRange(path, offset, pieceBytes) ?? new Uint8Array();
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(newline) + 1;
      put(bytes.subarray(0, end));
      rest = bytes.subarray(end);
      if (piece.length < pieceBytes) break;
    }
  }
  put(rest);
  return sizeBytes;
}

async function writeArchive(
  files: Files,
  entries: readonly BundleEntry[],
  { path, created }: { readonly path: string; readonly created: Date },
): Promise<void> {
  const { createTarPacker } = await import("modern-tar");
  const { readable, controller } = createTarPacker();
  const compressed = createGzip();
  const pack = async () => {
    for (const { name, content } of entries) {
      const size = typeof content === "string" ? Buffer.byteLength(content) : content.sizeBytes;
      const writer = controller.add({ name, size, type: "file", mode: 0o644, mtime: created }).getWriter();
      for (const piece of piecesOf(files, content)) await writer.write(piece);
      await writer.close();
    }
    controller.finalize();
  };
  // An error of the packer ends the stream with it, so that the loop throws it.
  const packing = pack().catch((error: unknown) => controller.error(error));
  pipeline(readable, compressed, () => {});
  files.write(path, "", { mode: 0o600 });
  for await (const chunk of compressed) files.append(path, new Uint8Array(chunk));
  await packing;
}

function* piecesOf(files: Files, content: BundleEntry["content"]): Generator<Uint8Array> {
  if (typeof content === "string") {
    yield Buffer.from(content);
    return;
  }
  for (let offset = 0; offset < content.sizeBytes; offset += pieceBytes) {
    yield files.readRange(content.path, offset, Math.min(pieceBytes, content.sizeBytes - offset)) ?? new Uint8Array();
  }
}
