import type { ContentReader } from "../../host/content-files.ts";

/** Contents that are being read, which a cleanup must keep. */
export interface ContentReaders {
  /** @param hex digest of the content */
  readonly isRead: (hex: string) => boolean;
  /** Opens a content, which counts as read until its reader is closed. Rejects as `open` does. */
  readonly open: (hex: string, open: () => Promise<ContentReader | undefined>) => Promise<ContentReader | undefined>;
}

/** Creates an empty table. */
export function contentReaders(): ContentReaders {
  const counts = new Map<string, number>();
  return {
    isRead: (hex) => counts.has(hex),
    async open(hex, open) {
      counts.set(hex, (counts.get(hex) ?? 0) + 1);
      const release = () => {
        const left = (counts.get(hex) ?? 1) - 1;
        if (left === 0) counts.delete(hex);
        else counts.set(hex, left);
      };
      try {
        const reader = await open();
        if (reader === undefined) release();
        return reader && { ...reader, close: () => reader.close().finally(release) };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
