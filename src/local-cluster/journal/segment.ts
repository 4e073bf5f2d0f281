import type { AppendFile, Files } from "../../host/host.ts";
import { printHead } from "./entry.ts";
import { printRecord } from "./record.ts";

/** One file of a journal, open for writing. */
export interface Segment {
  readonly sizeBytes: () => number;
  /** Appends a record whole, or throws and leaves none of it. */
  readonly append: (record: string, options: { readonly isSynced: boolean }) => void;
  readonly sync: AppendFile["sync"];
  readonly syncLater: AppendFile["syncLater"];
  readonly close: () => void;
}

/** Opens a file of a journal, or begins it. @param goodBytes what is behind them is cut off */
export async function openSegment(files: Files, path: string, goodBytes?: number): Promise<Segment> {
  const file = await files.openAppend(path);
  if (goodBytes !== undefined) file.truncate(goodBytes);
  let good = file.sizeBytes();

  function cutBack(): void {
    if (file.sizeBytes() !== good) file.truncate(good);
  }

  const segment: Segment = {
    ...{ sizeBytes: () => good, sync: file.sync, syncLater: file.syncLater, close: file.close },
    append(record, { isSynced }) {
      // From a time before, when even that failed.
      cutBack();
      try {
        file.append(record);
        if (isSynced) file.sync();
      } catch (error) {
        try {
          cutBack();
        } catch {
          // The next one tries again; if none comes, whoever reads takes it for torn.
        }
        throw error;
      }
      good = file.sizeBytes();
    },
  };
  if (good === 0) segment.append(printRecord(printHead(0)), { isSynced: false });
  return segment;
}
