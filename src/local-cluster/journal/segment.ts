import type { AppendFile, Files } from "../../host/host.ts";
import { printHead } from "./entry.ts";
import { printRecord } from "./record.ts";

/** One file of a journal, open for writing. */
export interface Segment {
  readonly sizeBytes: () => number;
  /** Appends a record atomically: on failure it throws and writes nothing. */
  readonly append: (record: string, options: { readonly isSynced: boolean }) => void;
  readonly sync: AppendFile["sync"];
  readonly syncLater: AppendFile["syncLater"];
  readonly close: () => void;
}

/** Opens or creates a journal file. @param goodBytes size to truncate the file to */
export async function openSegment(files: Files, path: string, goodBytes?: number): Promise<Segment> {
  const file = await files.openAppend(path);
  try {
    return startSegment(file, goodBytes);
  } catch (error) {
    file.close();
    throw error;
  }
}

function startSegment(file: AppendFile, goodBytes: number | undefined): Segment {
  if (goodBytes !== undefined) file.truncate(goodBytes);
  let good = file.sizeBytes();

  function cutBack(): void {
    if (file.sizeBytes() !== good) file.truncate(good);
  }

  const segment: Segment = {
    ...{ sizeBytes: () => good, sync: file.sync, syncLater: file.syncLater, close: file.close },
    append(record, { isSynced }) {
      // An earlier append may have failed to truncate.
      cutBack();
      try {
        file.append(record);
        if (isSynced) file.sync();
      } catch (error) {
        try {
          cutBack();
        } catch {
          // The next append retries. Without one, the reader treats the record as torn.
        }
        throw error;
      }
      good = file.sizeBytes();
    },
  };
  if (good === 0) segment.append(printRecord(printHead(0)), { isSynced: false });
  return segment;
}
