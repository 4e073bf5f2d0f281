import fc from "fast-check";
import { expect, test } from "vitest";
import { type Collecting, collectParts } from "./collect-parts.ts";
import type { ReadPieces } from "./uploads.ts";

const piecesOf =
  (pieces: readonly Uint8Array[], fails: boolean): ReadPieces =>
  async (take) => {
    for (const piece of pieces) await take(piece);
    if (fails) throw new Error("cut");
  };

interface CollectOptions extends Partial<Collecting> {
  readonly fails?: boolean;
}

async function collect(pieces: readonly Uint8Array[], { fails = false, ...more }: CollectOptions) {
  const parts: string[] = [];
  let tail: string | undefined;
  const text = (content: Uint8Array) => Buffer.from(content).toString("latin1");
  const collected = await collectParts(piecesOf(pieces, fails), {
    ...{ tail: new Uint8Array(), partBytes: 4, lastBytes: undefined, onPiece: () => {} },
    putPart: async (content, isLast) => void parts.push(`${text(content)}${isLast ? "." : ""}`),
    putTail: async (content) => {
      tail = text(content);
    },
    ...more,
  });
  return { ...collected, parts, tail };
}

const bytes = (text: string) => Buffer.from(text, "latin1");

test("sends full parts as they arrive, and the rest as the last part", async () => {
  const all = await collect([bytes("abc"), bytes("defgh"), bytes("i")], { lastBytes: 9 });
  expect(all).toMatchObject({ parts: ["abcd", "efgh", "i."], tail: undefined, newBytes: 9, isKept: true });
});

test("stores an incomplete part and completes it with the next request", async () => {
  const started = await collect([bytes("abcde")], { lastBytes: 9 });
  expect(started).toMatchObject({ parts: ["abcd"], tail: "e", newBytes: 5 });
  const next = await collect([bytes("fghi")], { tail: bytes("e"), lastBytes: 5 });
  expect(next).toMatchObject({ parts: ["efgh", "i."], tail: undefined, newBytes: 4 });
});

test("stores the bytes before an interruption and returns its error", async () => {
  const cut = await collect([bytes("abcdef")], { lastBytes: 9, fails: true });
  expect(cut).toMatchObject({ parts: ["abcd"], tail: "ef", newBytes: 6, isKept: true });
  expect(cut.error?.message).toBe("cut");
});

test("sends one empty part for empty content, and none for an empty request", async () => {
  expect(await collect([], { lastBytes: 0 })).toMatchObject({ parts: ["."], tail: undefined });
  expect(await collect([], { lastBytes: 9 })).toMatchObject({ parts: [], tail: undefined });
});

test("rejects when a part cannot be sent", async () => {
  const putPart = () => Promise.reject(new Error("full"));
  await expect(collect([bytes("abcdefghi")], { putPart, lastBytes: 9 })).rejects.toThrow("full");
});

test("the parts make up the content for any chunks and interruptions", async () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 11 });
  const requests = fc.array(fc.array(chunk, { minLength: 1, maxLength: 6 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(requests, fc.boolean(), async (all, fails) => {
      const complete = Buffer.concat(all.flat()).toString("latin1");
      const sent: string[] = [];
      let [tail, left] = ["", complete.length];
      const putPart: Collecting["putPart"] = async (content) => void sent.push(Buffer.from(content).toString("latin1"));
      for (const pieces of all) {
        const got = await collect(pieces, {
          tail: bytes(tail),
          lastBytes: left + tail.length,
          fails,
          putPart,
        });
        tail = got.tail ?? "";
        left -= got.newBytes;
      }
      expect(sent.join("") + tail).toBe(complete);
      expect(sent.slice(0, -1).every((part) => part.length === 4)).toBe(true);
      expect(tail).toBe("");
    }),
  );
});
