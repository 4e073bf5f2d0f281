import type { Host } from "../../host/host.ts";
import type { JournaledStore } from "../api/journal.ts";
import { printEnd, printHead, printObject } from "./entry.ts";
import { printRecord } from "./record.ts";

/** Objects per write, and writes before yielding to the event loop. */
const sliceSize = 16;
const slicesBeforeYield = 8;

/**
 * Writes all objects of a store to a file, in slices so that the API can respond to requests. Renames the file to its final name
 * when it is complete and synced.
 *
 * @param shouldContinue asked between the slices; returns false to abort
 * @returns its size in bytes; `undefined` when it was aborted
 */
export async function writeSnapshot(
  { files, clock }: Pick<Host, "files" | "clock">,
  store: JournaledStore,
  { path, shouldContinue }: { readonly path: string; readonly shouldContinue: () => boolean },
): Promise<number | undefined> {
  // Read both before the first await, so that they are consistent.
  const objects = store.objects();
  const head = printHead(store.revision());
  const draft = `${path}.new`;
  files.remove(draft);
  const file = await files.openAppend(draft);
  try {
    file.append(printRecord(head));
    for (let start = 0; start < objects.length && shouldContinue(); start += sliceSize) {
      const slice = objects.slice(start, start + sliceSize);
      file.append(slice.map((kept) => printRecord(printObject(kept))).join(""));
      const shouldYield = (start / sliceSize) % slicesBeforeYield === slicesBeforeYield - 1;
      if (shouldYield && start + sliceSize < objects.length) await clock.sleep(0);
    }
    file.append(printRecord(printEnd(objects.length)));
    if (!shouldContinue()) return undefined;
    await file.syncLater();
    if (!shouldContinue()) return undefined;
    files.rename(draft, path);
    return file.sizeBytes();
  } finally {
    file.close();
    files.remove(draft);
  }
}
