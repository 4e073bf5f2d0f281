/** Uploads that this server is processing, by ID. */
export interface UploadActivity {
  /** Cuts off whoever writes, and waits until he has stopped; then nobody else writes before `work` is done. */
  readonly write: <T>(uploadId: string, cut: () => void, work: () => Promise<T>) => Promise<T>;
  /** Waits for others that finish the same upload, cuts off whoever writes, and waits until he has stopped. */
  readonly finish: <T>(uploadId: string, work: () => Promise<T>) => Promise<T>;
  /** Cuts off whoever writes. */
  readonly cut: (uploadId: string) => void;
  readonly isWriting: (uploadId: string) => boolean;
}

interface Writing {
  readonly cut: () => void;
  readonly done: Promise<void>;
}

/** Nothing is done yet. */
export function uploadActivity(): UploadActivity {
  const writing = new Map<string, Writing>();
  const finishing = new Map<string, Promise<void>>();
  return {
    async write(uploadId, cut, work) {
      // Not by `stopWriting`: after the last look nothing may come between.
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
      // Who asks a second time has lost the answer to the first.
      for (let last = finishing.get(uploadId); last !== undefined; last = finishing.get(uploadId)) await last;
      const result = stopWriting(uploadId).then(work);
      finishing.set(uploadId, settled(result));
      try {
        return await result;
      } finally {
        finishing.delete(uploadId);
      }
    },
    cut: (uploadId) => writing.get(uploadId)?.cut(),
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
