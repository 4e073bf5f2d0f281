import { submitError } from "../errors/submit-error.ts";
import type { Files } from "./host.ts";

/** A part of a file. */
export interface FilePart {
  readonly path: string;
  /** Bytes. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

const chunkBytes = 256 * 1024;

/**
 * Reads a part of a file in chunks.
 *
 * @throws SUBMIT_ERR_STAGED_FILE_CHANGED if the file has become shorter
 */
export async function* fileChunks(files: Files, { path, offset, size }: FilePart): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < size; ) {
    const chunk = files.readRange(path, offset + done, Math.min(chunkBytes, size - done));
    if (chunk === undefined || chunk.length === 0) throw submitError("SUBMIT_ERR_STAGED_FILE_CHANGED", { path });
    done += chunk.length;
    yield chunk;
  }
}
