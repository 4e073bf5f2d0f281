import type { Files } from "../../host/host.ts";
import { parentOf } from "../sandbox/container-path.ts";

/** Files of one log, read as one: offsets count from the beginning of everything ever written. */
export interface LogSegments {
  /** Appends complete records. @throws Node's error, e.g. when the disk is full. */
  readonly append: (content: Uint8Array) => void;
  /** Reads from an offset up to its file's end; starts at the oldest file if that part is already deleted. */
  readonly read: (offset: number, sizeBytes: number) => { readonly at: number; readonly bytes: Uint8Array };
  /** Lists the files, oldest first. */
  readonly parts: () => readonly LogPart[];
  readonly remove: () => void;
}

interface LogPart {
  readonly path: string;
  /** Offset of its first byte. */
  readonly start: number;
  readonly sizeBytes: number;
}

interface LogLimits {
  /** Size from which a file is complete. */
  readonly fileBytes: number;
  readonly files: number;
}

/** The kubelet's defaults. */
const defaultLimits: LogLimits = { fileBytes: 10 * 1024 ** 2, files: 5 };

/** Opens a log at `<path>`, `<path>.1`, `<path>.2` and so on, of which the last are kept; continues existing files. */
export function logSegments(files: Files, path: string, limits: LogLimits = defaultLimits): LogSegments {
  let hasDirectory = false;
  let parts = earlierParts(files, path);

  function writablePart(): LogPart {
    const last = parts.at(-1);
    if (last !== undefined && last.sizeBytes < limits.fileBytes) return last;
    if (last === undefined) return { path, start: 0, sizeBytes: 0 };
    const number = Number(last.path.slice(path.length + 1)) + 1;
    const next = { path: `${path}.${number}`, start: last.start + last.sizeBytes, sizeBytes: 0 };
    for (const { path: old } of parts.slice(0, Math.max(0, parts.length + 1 - limits.files))) files.remove(old);
    parts = [...parts.slice(1 - limits.files), next];
    return next;
  }

  return {
    append(content) {
      // A pod without output needs no directory.
      if (!hasDirectory) files.makeDirectory(parentOf(path), { mode: 0o700 });
      hasDirectory = true;
      const part = writablePart();
      files.append(part.path, content);
      const grown = { ...part, sizeBytes: part.sizeBytes + content.length };
      parts = [...parts.filter(({ start }) => start !== part.start), grown];
    },
    read(offset, sizeBytes) {
      const part = parts.findLast(({ start }) => start <= offset) ?? parts[0];
      if (part === undefined) return { at: offset, bytes: new Uint8Array() };
      const at = Math.max(offset, part.start);
      return { at, bytes: files.readRange(part.path, at - part.start, sizeBytes) ?? new Uint8Array() };
    },
    parts: () => parts,
    remove() {
      for (const { path: each } of parts) files.remove(each);
    },
  };
}

function earlierParts(files: Files, path: string): readonly LogPart[] {
  const directory = parentOf(path);
  const name = path.slice(directory.length + 1);
  const numbers = (files.list(directory) ?? []).flatMap((other) => {
    if (other === name) return [0];
    const number = other.startsWith(`${name}.`) ? Number(other.slice(name.length + 1)) : Number.NaN;
    return Number.isInteger(number) ? [number] : [];
  });
  let start = 0;
  return numbers
    .sort((a, b) => a - b)
    .map((number) => {
      const own = number === 0 ? path : `${path}.${number}`;
      const part = { path: own, start, sizeBytes: files.info(own)?.sizeBytes ?? 0 };
      start += part.sizeBytes;
      return part;
    });
}
