import type { Host } from "../../host/host.ts";
import type { JournaledStore } from "../api/journal.ts";
import { printEnd, printHead, printObject } from "./entry.ts";
import { printRecord } from "./record.ts";

/** So many objects are written at once, and so many pieces without a pause. */
const sliceSize = 16;
const slicesAtOnce = 8;

/**
 * Writes all objects of a store to a file, in slices, so that requests are answered meanwhile. The file gets its name when it is
 * whole and safe on the disk.
 *
 * @param shouldContinue asked between the slices; when it says no, the file is given up
 * @returns its size in bytes; `undefined` when it was given up
 */
export async function writeSnapshot(
  { files, clock }: Pick<Host, "files" | "clock">,
  store: JournaledStore,
  { path, shouldContinue }: { readonly path: string; readonly shouldContinue: () => boolean },
): Promise<number | undefined> {
  // Both at this moment, before anything is waited for.
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
      const isPause = (start / sliceSize) % slicesAtOnce === slicesAtOnce - 1;
      if (isPause && start + sliceSize < objects.length) await clock.sleep(0);
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
