import type { Files } from "../host/host.ts";

const endRecordBytes = 22;
const maxCommentBytes = 65_535;
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const entryBytes = 46;
const maxDirectoryBytes = 64 * 1024 * 1024;

/** Whether a jar contains Python modules, which Python finds if the jar is on its path. False for a file that is not a zip archive. */
export function hasPythonModules(files: Pick<Files, "info" | "readRange">, path: string): boolean {
  const sizeBytes = files.info(path)?.sizeBytes ?? 0;
  const tailOffset = Math.max(0, sizeBytes - endRecordBytes - maxCommentBytes);
  const tail = readBuffer(files, path, { offset: tailOffset, sizeBytes: sizeBytes - tailOffset });
  for (let at = tail.length - endRecordBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    const directory = { offset: tail.readUInt32LE(at + 16), sizeBytes: tail.readUInt32LE(at + 12) };
    if (directory.sizeBytes > maxDirectoryBytes) return false;
    return entryNames(readBuffer(files, path, directory)).some((name) => /\.pyc?$/.test(name));
  }
  return false;
}

function readBuffer(
  files: Pick<Files, "readRange">,
  path: string,
  { offset, sizeBytes }: { readonly offset: number; readonly sizeBytes: number },
): Buffer {
  return Buffer.from(files.readRange(path, offset, sizeBytes) ?? []);
}

/** Lists the names in a central directory. Source: PKWARE APPNOTE 6.3.10, section 4.3.12. */
function entryNames(directory: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at + entryBytes <= directory.length && directory.readUInt32LE(at) === entrySignature; ) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const end = at + entryBytes + (nameBytes ?? 0);
    names.push(directory.toString("latin1", at + entryBytes, end));
    at = end + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return names;
}
