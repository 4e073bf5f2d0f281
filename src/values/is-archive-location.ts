import { parseArchiveLocation } from "./archive-location.ts";

/** Whether a text is a location of an archive. Alone in its file, because the programs load it on demand. */
export function isArchiveLocation(text: string): boolean {
  return parseArchiveLocation(text) !== undefined;
}
