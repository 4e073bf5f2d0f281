import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { Part } from "../../../s3/bucket.ts";
import { digestShape, parseJson, sizeShape } from "../bundle-record.ts";
import { isId } from "../layout.ts";
import { digestOf, type ReceivedFile, type Upload, type UploadSource, type Uploads } from "../uploads.ts";
import { type Collected, collectParts, partBytesFor } from "./collect-parts.ts";
import type { S3Scope } from "./s3-scope.ts";

/** What is known of an upload in the bucket. */
interface Meta extends Upload {
  /** Of its object of parts; those of one part have none. */
  readonly multipartId?: string | undefined;
}

const metaShape = v.object({
  uploadId: v.string(),
  namespace: v.string(),
  digest: digestShape,
  size: sizeShape,
  multipartId: v.exactOptional(v.string()),
});

/** What has come of it. */
interface State {
  readonly parts: readonly Part[];
  /** What came after the last part and is too little for one. */
  readonly tailBytes: number;
  /** All is one object already. */
  readonly isWhole: boolean;
  readonly offset: number;
}

/** What this server has seen of it itself; of what others took in, only the bucket knows. */
interface Progress {
  readonly hash: Hash;
  sizeBytes: number;
  readonly parts: Pick<Part, "number" | "etag">[];
}

/**
 * Uploads into a bucket: full parts go there as they come, and what is left at the end of a request as an object of its own, so that
 * any server can go on with it.
 */
export function openS3Uploads(scope: S3Scope): Uploads {
  const { bucket, host, layout, memory, adopted } = scope;
  const running = new Map<string, { readonly cut: () => void; readonly done: Promise<unknown> }>();
  const finishing = new Map<string, Promise<void>>();
  const hashed = new Map<string, Progress>();
  const metaKey = (uploadId: string) => `${layout.upload(uploadId)}/meta.json`;
  const tailKey = (uploadId: string, count: number) => `${layout.upload(uploadId)}/tail-${count}`;

  const find = async (uploadId: string): Promise<Meta | undefined> => {
    if (!isId(uploadId)) return undefined;
    const text = (await bucket.readText(metaKey(uploadId)))?.text;
    const meta = v.safeParse(metaShape, parseJson(text));
    return meta.success ? meta.output : undefined;
  };
  const stateOf = async ({ uploadId, multipartId, size }: Meta): Promise<State> => {
    const key = layout.content(uploadId);
    const parts = multipartId === undefined ? [] : ((await bucket.parts(key, multipartId)) ?? []);
    const partsBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    const whole = parts.length > 0 && partsBytes < size ? undefined : await bucket.info(key);
    if (whole !== undefined) return { parts, tailBytes: 0, isWhole: true, offset: whole.sizeBytes };
    const tail = await bucket.info(tailKey(uploadId, parts.length));
    const tailBytes = tail?.sizeBytes ?? 0;
    return { parts, tailBytes, isWhole: false, offset: partsBytes + tailBytes };
  };
  const cutOff = async (uploadId: string) => {
    for (let last = running.get(uploadId); last !== undefined; last = running.get(uploadId)) {
      last.cut();
      await last.done;
    }
  };
  const tidy = async (uploadId: string, multipartId: string | undefined) => {
    hashed.delete(uploadId);
    if (multipartId !== undefined) await bucket.giveUp(layout.content(uploadId), multipartId);
    for await (const { key } of bucket.list(`${layout.upload(uploadId)}/`)) await bucket.remove(key);
  };
  /** A server that was killed may have left it as an upload. */
  const isBlob = async ({ uploadId, digest }: Meta) => {
    const pointer = (await bucket.readText(layout.blob(digest)))?.text ?? "";
    return pointer.includes(JSON.stringify(layout.content(uploadId)));
  };
  const abandon = async (uploadId: string) => {
    running.get(uploadId)?.cut();
    const meta = await find(uploadId);
    if (meta !== undefined && (await isBlob(meta))) return tidy(uploadId, undefined);
    await tidy(uploadId, meta?.multipartId);
    await bucket.remove(layout.content(uploadId));
  };
  const write = async (meta: Meta, state: State, source: UploadSource): Promise<number> => {
    const { uploadId, multipartId, size } = meta;
    const known = hashed.get(uploadId);
    hashed.delete(uploadId);
    const start: Progress = { hash: createHash("sha256"), sizeBytes: 0, parts: [] };
    const progress = known?.sizeBytes === state.offset ? known : state.offset === 0 ? start : undefined;
    const partBytes = partBytesFor(size);
    const giveBack = await memory.take(Math.min(2 * partBytes, size - state.offset + state.tailBytes));
    try {
      const tail = await readAll(tailKey(uploadId, state.parts.length), state.tailBytes);
      let number = state.parts.length;
      const collected: Collected = await collectParts(source.read, {
        ...{ tail, partBytes, lastBytes: size - state.offset + state.tailBytes },
        onPiece: (piece) => progress?.hash.update(piece),
        async putPart(content) {
          const key = layout.content(uploadId);
          if (multipartId === undefined) {
            await bucket.put(key, content);
            return;
          }
          number += 1;
          const part = number;
          const etag = await bucket.putPart({ key, id: multipartId, number: part }, content);
          progress?.parts.push({ number: part, etag });
        },
        putTail: async (content) => {
          await bucket.put(tailKey(uploadId, number), content);
        },
      });
      const offset = state.offset + collected.newBytes;
      if (progress !== undefined) {
        progress.sizeBytes = offset;
        if (collected.isKept) hashed.set(uploadId, progress);
      }
      if (collected.error !== undefined) throw collected.error;
      return offset;
    } finally {
      giveBack();
    }
  };
  const readAll = async (key: string, bytes: number): Promise<Uint8Array> => {
    const opened = bytes === 0 ? undefined : await bucket.open(key);
    const pieces: Uint8Array[] = [];
    if (opened !== undefined) for await (const piece of opened.body) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  const digestOfObject = async (key: string) => {
    const hash = createHash("sha256");
    const opened = await bucket.open(key);
    if (opened !== undefined) for await (const piece of opened.body) hash.update(piece);
    return digestOf(hash);
  };
  /** Makes one object of it. */
  const assemble = async ({ uploadId, multipartId }: Meta, state: State, parts: Progress["parts"]) => {
    const key = layout.content(uploadId);
    if (state.isWhole) return;
    if (multipartId === undefined) {
      await bucket.put(key, await readAll(tailKey(uploadId, 0), state.tailBytes));
      return;
    }
    await bucket.complete(key, multipartId, parts);
  };
  const handOver = async <T>(uploadId: string, take: (file: ReceivedFile) => Promise<T>) => {
    await cutOff(uploadId);
    const meta = await find(uploadId);
    if (meta === undefined) return undefined;
    const key = layout.content(uploadId);
    const state = await stateOf(meta);
    const progress = hashed.get(uploadId);
    const known = progress?.sizeBytes === state.offset ? digestOf(progress.hash.copy()) : undefined;
    // Parts of an object that stands are not given up: some servers would take them out of it.
    let multipartId = state.isWhole ? undefined : meta.multipartId;
    try {
      const isWhole = state.offset === meta.size;
      if (isWhole && (known === undefined || known === meta.digest)) {
        // With the tags that we have seen: what somebody else wrote over ours is refused.
        const parts = known === undefined ? state.parts : (progress?.parts ?? []);
        await assemble(meta, state, [...parts]);
        multipartId = undefined;
      }
      const digest = known ?? (isWhole ? await digestOfObject(key) : digestOf(createHash("sha256")));
      return { taken: await take({ path: key, size: state.offset, digest }) };
    } finally {
      await tidy(uploadId, multipartId);
      if (!adopted.delete(key)) await bucket.remove(key);
    }
  };
  return {
    async begin(namespace, { digest, size }) {
      const uploadId = host.random.uuid();
      const isLarge = size > partBytesFor(size);
      const multipart = isLarge ? { multipartId: await bucket.begin(layout.content(uploadId)) } : {};
      const upload = { uploadId, namespace, digest, size };
      await bucket.put(metaKey(uploadId), JSON.stringify({ ...upload, ...multipart }));
      return upload;
    },
    find,
    async offset({ uploadId }) {
      const meta = await find(uploadId);
      return meta === undefined ? 0 : (await stateOf(meta)).offset;
    },
    async append({ uploadId }, source) {
      await cutOff(uploadId);
      const meta = await find(uploadId);
      const state = meta === undefined ? undefined : await stateOf(meta);
      if (meta === undefined || state?.offset !== source.offset)
        return { offset: state?.offset ?? 0, isWrong: true };
      const writing = write(meta, state, source);
      running.set(uploadId, { cut: source.cut, done: writing.catch(() => {}) });
      try {
        return { offset: await writing, isWrong: false };
      } finally {
        running.delete(uploadId);
      }
    },
    async finish({ uploadId }, take) {
      // Who asks a second time has lost the answer to the first.
      for (let last = finishing.get(uploadId); last !== undefined; last = finishing.get(uploadId)) await last;
      const work = handOver(uploadId, take);
      finishing.set(
        uploadId,
        work.then(
          () => {},
          () => {},
        ),
      );
      try {
        return await work;
      } finally {
        finishing.delete(uploadId);
      }
    },
    abandon,
    async receive(read) {
      const key = layout.content(host.random.uuid());
      const hash = createHash("sha256");
      const parts: Pick<Part, "number" | "etag">[] = [];
      let multipartId: string | undefined;
      const partBytes = partBytesFor(undefined);
      const giveBack = await memory.take(2 * partBytes);
      const discard = async () => {
        if (!adopted.delete(key)) await bucket.remove(key);
      };
      try {
        const { newBytes, error } = await collectParts(read, {
          ...{ tail: new Uint8Array(), partBytes, lastBytes: undefined },
          onPiece: (piece) => hash.update(piece),
          async putPart(content, isLast) {
            if (isLast && multipartId === undefined) {
              await bucket.put(key, content);
              return;
            }
            multipartId ??= await bucket.begin(key);
            const number = parts.length + 1;
            parts.push({ number, etag: await bucket.putPart({ key, id: multipartId, number }, content) });
          },
        });
        if (error !== undefined) throw error;
        if (multipartId !== undefined) await bucket.complete(key, multipartId, parts);
        multipartId = undefined;
        return { path: key, size: newBytes, digest: digestOf(hash), discard };
      } catch (error) {
        if (multipartId !== undefined) await bucket.giveUp(key, multipartId);
        await discard();
        throw error;
      } finally {
        giveBack();
      }
    },
    async sweep(idleMs) {
      const last = new Map<string, number>();
      for await (const { key, modifiedMs } of bucket.list(`${layout.uploads}/`)) {
        const uploadId = key.slice(layout.uploads.length + 1).split("/")[0] ?? "";
        last.set(uploadId, Math.max(last.get(uploadId) ?? 0, modifiedMs));
      }
      const before = host.clock.now() - idleMs;
      let count = 0;
      for (const [uploadId, changedMs] of last) {
        if (running.has(uploadId) || changedMs > before) continue;
        const meta = await find(uploadId);
        const parts = meta === undefined ? [] : (await stateOf(meta)).parts;
        if (parts.some(({ modifiedMs }) => modifiedMs > before)) continue;
        await abandon(uploadId);
        count += 1;
      }
      return count;
    },
  };
}
