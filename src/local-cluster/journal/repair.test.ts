import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseEntry } from "./entry.ts";
import { resultOf } from "./restore.ts";
import {
  applyStep,
  collections,
  contentOf,
  directory,
  type Image,
  imageOf,
  openStore,
  step,
  thing,
  watchedFiles,
} from "./test-journal.ts";

const journal = (number: number) => `journal-0000000${number}.log`;
const snapshot = (number: number) => `snapshot-0000000${number}.log`;

/** Files of a store with objects `a` and `b`, in a snapshot with a journal after it, or in one journal. */
async function storedImage(limitBytes?: number): Promise<Image> {
  const { store, host, journal: opened } = await openStore({}, limitBytes === undefined ? {} : { limitBytes });
  for (const name of ["a", "b"]) store.create("configmaps", thing(name, { text: "x".repeat(300) }));
  await host.advance(1);
  store.update("configmaps", "default", "a", (current) => ({ ...current, data: { is: "last" } }));
  opened.close();
  return imageOf(host.files);
}

const without = (image: Image, name: string): Image =>
  Object.fromEntries(Object.entries(image).filter(([key]) => key !== name));

describe("files of an existing cluster that are missing or empty stop the start:", () => {
  const cases: readonly (readonly [string, number | undefined, (image: Image) => Image, string, string])[] = [
    ["no file", undefined, () => ({}), journal(1), "the file is missing"],
    ["an empty journal", undefined, () => ({ [journal(1)]: new Uint8Array() }), journal(1), "the file is empty"],
    ["no snapshot", 500, (image) => without(image, snapshot(2)), snapshot(2), "the file is missing"],
    ["an empty snapshot", 500, (image) => ({ ...image, [snapshot(2)]: new Uint8Array() }), snapshot(2), "incomplete"],
    ["no journal beside its snapshot", 500, (image) => without(image, journal(2)), journal(2), "the file is missing"],
    [
      "an empty journal beside its snapshot",
      500,
      (image) => ({ ...image, [journal(2)]: new Uint8Array() }),
      journal(2),
      "empty",
    ],
    [
      "no journal between two others",
      500,
      (image) => ({ ...image, [journal(4)]: image[journal(2)] ?? new Uint8Array() }),
      journal(3),
      "the file is missing",
    ],
  ];
  test.each(cases)("%s", async (_, limitBytes, change, name, reason) => {
    const image = change(await storedImage(limitBytes));
    const start = openStore(image, { isNew: false });
    await expect(start).rejects.toThrow(`${directory}/${name} at byte 0: `);
    await expect(start).rejects.toThrow(reason);
    await expect(start).rejects.toMatchObject({ code: "SUBMIT_ERR_CLUSTER_STATE" });
    const { store, host } = await openStore(image, { isNew: false, repairs: true });
    const again = await openStore(imageOf(host.files), { isNew: false });
    expect(contentOf(again.store, collections)).toBe(contentOf(store, collections));
  });
});

test("a start that was interrupted before the first record is repeated", async () => {
  const images: readonly Image[] = [{}, { [journal(1)]: new Uint8Array() }, { [journal(1)]: Buffer.from("0a1b") }];
  for (const image of images) {
    const { store } = await openStore(image, { isNew: true });
    expect(store.list("configmaps")).toEqual([]);
  }
});

test("a file that cannot be read stops the start, and is not repaired", async () => {
  const image = await storedImage();
  const wrap = (files: Parameters<typeof watchedFiles>[0]) => ({
    ...files,
    readBytes: (path: string) => {
      throw new Error(`EACCES: permission denied, open '${path}'`);
    },
  });
  const start = openStore(image, { repairs: true, wrap });
  await expect(start).rejects.toMatchObject({ code: "SUBMIT_ERR_CLUSTER_STATE" });
  await expect(start).rejects.toThrow("EACCES");
});

test("a repair names damaged records, lost objects and objects that the garbage collector deletes", async () => {
  const { store, host } = await openStore();
  const owner = store.create("configmaps", thing("owner"));
  const { uid = "" } = owner?.metadata ?? {};
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  const child = thing("child");
  store.create("secrets", { ...child, metadata: { ...child.metadata, ownerReferences } });
  const bytes = Buffer.from(imageOf(host.files)[journal(1)] ?? []);
  bytes.write("X", bytes.indexOf('"ConfigMap"'));
  const { journal: repaired } = await openStore({ [journal(1)]: bytes }, { repairs: true });
  expect(repaired.notices.slice(1)).toEqual([
    "Kept 1 objects: 1 secrets.",
    "Lost: configmaps default/owner.",
    "The garbage collector will delete objects whose owners are lost: secrets default/child.",
    `The original files are in ${directory}/damaged-2.`,
  ]);
});

test("a repair that is interrupted anywhere can be repeated, and loses nothing", async () => {
  const image = await storedImage(500);
  const bytes = Uint8Array.from(image[journal(2)] ?? []);
  bytes[bytes.length - 20] = 0;
  const damaged = { ...image, [journal(2)]: bytes };
  const interrupted: Image[] = [];
  const wrap = (files: Parameters<typeof watchedFiles>[0]) => {
    const note = () => interrupted.push(imageOf(files));
    const onAppend = (_: string, content: Uint8Array, append: (part: Uint8Array) => void) => {
      append(content.subarray(0, content.length / 2));
      note();
      append(content.subarray(content.length / 2));
      note();
    };
    return watchedFiles(files, onAppend, note);
  };
  const { store } = await openStore(damaged, { repairs: true, wrap });
  expect(store.list("configmaps")).toHaveLength(2);
  expect(interrupted.length).toBeGreaterThan(5);
  for (const one of interrupted) {
    const again = await openStore(one, { repairs: true });
    expect(contentOf(again.store, collections)).toBe(contentOf(store, collections));
  }
});

/** A change of a file's bytes at a position; `size` and `value` are used as the kind needs. */
const damage = fc.record({
  kind: fc.constantFrom("change", "zero", "insert", "remove", "repeat"),
  position: fc.nat(),
  size: fc.integer({ min: 1, max: 400 }),
  value: fc.integer({ min: 1, max: 255 }),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function withDamage(bytes: Uint8Array, { kind, position, size, value }: Damage): Buffer {
  const at = position % bytes.length;
  const [before, rest] = [bytes.subarray(0, at), bytes.subarray(at)];
  const block = rest.subarray(0, size);
  if (kind === "change") return Buffer.concat([before, Buffer.of((rest[0] ?? 0) ^ value), rest.subarray(1)]);
  if (kind === "zero") return Buffer.concat([before, Buffer.alloc(block.length), rest.subarray(block.length)]);
  if (kind === "insert") return Buffer.concat([before, Buffer.alloc(size, value), rest]);
  if (kind === "remove") return Buffer.concat([before, rest.subarray(block.length)]);
  return Buffer.concat([before, block, rest]);
}

/** Content after all records whose text the damaged file still has. */
async function contentOfIntact(bytes: Uint8Array, damaged: Buffer): Promise<string> {
  const lines = Buffer.from(bytes)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  const changes = lines
    .filter((line) => damaged.includes(line))
    .flatMap((line) => {
      const entry = parseEntry(line.slice(9));
      return entry?.is === "changes" ? entry.changes : [];
    });
  const { objects } = resultOf({ revision: 0, objects: [], changes });
  return JSON.stringify(
    collections.map((collection) => objects.filter((one) => one.collection === collection).map(({ object }) => object)),
  );
}

function sorted(content: string): unknown {
  const lists: { metadata: { name: string } }[][] = JSON.parse(content);
  return lists.map((list) => list.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)));
}

test("any damage of a journal is detected or leaves an earlier state, and a repair keeps all intact records", {
  tags: "long",
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), damage, async (steps, how) => {
      const { store, host } = await openStore();
      const states = [contentOf(store, collections)];
      for (const one of steps) {
        applyStep(store, one);
        states.push(contentOf(store, collections));
      }
      const bytes = Uint8Array.from(imageOf(host.files)[journal(1)] ?? []);
      const damaged = withDamage(bytes, how);
      const image = { [journal(1)]: damaged };
      const outcome = await openStore(image).then(
        (again) => contentOf(again.store, collections),
        (error: unknown) => error,
      );
      if (typeof outcome === "string") {
        expect(states).toContain(outcome);
        return;
      }
      expect(outcome).toMatchObject({ code: "SUBMIT_ERR_CLUSTER_STATE" });
      const { store: repaired } = await openStore(image, { repairs: true });
      expect(sorted(contentOf(repaired, collections))).toEqual(sorted(await contentOfIntact(bytes, damaged)));
    }),
    { numRuns: 150 },
  );
});
