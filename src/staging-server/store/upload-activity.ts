/** Uploads that this server is processing, by ID. */
export interface UploadActivity {
  /** Aborts the current writer, waits until it has stopped, then runs `work` as the only writer. */
  readonly write: <T>(uploadId: string, cut: () => void, work: () => Promise<T>) => Promise<T>;
  /** Waits for other commits of the upload, aborts the current writer, waits until it has stopped, then runs `work`. */
  readonly finish: <T>(uploadId: string, work: () => Promise<T>) => Promise<T>;
  /** Aborts the current writer, and waits until it has stopped. */
  readonly stop: (uploadId: string) => Promise<void>;
  readonly isWriting: (uploadId: string) => boolean;
}

interface Writing {
  readonly cut: () => void;
  readonly done: Promise<void>;
}

/** Creates the record of activity, without any uploads. */
export function uploadActivity(): UploadActivity {
  const writing = new Map<string, Writing>();
  const finishing = new Map<string, Promise<void>>();
  return {
    async write(uploadId, cut, work) {
      // Do not call the async `stopWriting`: another writer could start between its last check and `work`.
      for (let last = writing.get(uploadId); last !== undefined; last = writing.get(uploadId)) {
        last.cut();
        await last.done;
      }
      const result = work();
      writing.set(uploadId, { cut, done: settled(result) });
      try {
        return await result;
      } finally {
        writing.delete(uploadId);
      }
    },
    async finish(uploadId, work) {
      // A client commits again when it has lost the first response.
      for (let last = finishing.get(uploadId); last !== undefined; last = finishing.get(uploadId)) await last;
      const result = stopWriting(uploadId).then(work);
      finishing.set(uploadId, settled(result));
      try {
        return await result;
      } finally {
        finishing.delete(uploadId);
      }
    },
    stop: stopWriting,
    isWriting: (uploadId) => writing.has(uploadId),
  };

  async function stopWriting(uploadId: string): Promise<void> {
    for (let last = writing.get(uploadId); last !== undefined; last = writing.get(uploadId)) {
      last.cut();
      await last.done;
    }
  }
}

function settled(work: Promise<unknown>): Promise<void> {
  const done = () => {};
  return work.then(done, done);
}
