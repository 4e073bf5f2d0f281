import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StoreEvent } from "../api/store.ts";
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

const journalName = "journal-00000001.log";

describe("a store with a journal", () => {
  test("restores its objects with uids and revisions, and continues counting", async () => {
    const first = await openStore();
    const created = first.store.create("configmaps", thing("a"));
    first.store.create("configmaps", thing("b"));
    first.store.update("configmaps", "default", "a", (current) => ({ ...current, data: { x: "1" } }));
    first.store.remove("configmaps", "default", "b");
    first.journal.close();
    const second = await openStore(imageOf(first.host.files));
    expect(second.store.list("configmaps")).toEqual(first.store.list("configmaps"));
    expect(second.store.get("configmaps", "default", "a")?.metadata.uid).toBe(created?.metadata.uid);
    const next = second.store.create("configmaps", thing("c"));
    expect(Number(next?.metadata.resourceVersion)).toBeGreaterThan(first.store.revision());
  });

  test("returns the changes since a known revision, but not since a lost one", async () => {
    const first = await openStore();
    first.store.create("configmaps", thing("a"));
    const known = first.store.revision();
    first.store.update("configmaps", "default", "a", (current) => ({ ...current, data: { x: "1" } }));
    first.store.remove("configmaps", "default", "a");
    const listed = first.store.since(known);
    const image = imageOf(first.host.files);
    const { store } = await openStore(image);
    expect(store.since(known)).toEqual(listed);
    expect(store.since(known + 2)).toEqual([]);
    expect(store.since(1)).toBeUndefined();
    const later = await openStore(image, { now: Date.UTC(2027, 0, 1) });
    expect(later.store.since(known)).toEqual(listed);
    // Simulates a write that was lost in a power failure.
    expect(later.store.since(known + 3)).toBeUndefined();
    expect(later.store.since(later.store.revision())).toEqual([]);
  });

  test("notifies followers of restored objects", async () => {
    const first = await openStore();
    first.store.create("configmaps", thing("a"));
    const { store } = await openStore(imageOf(first.host.files));
    const events: StoreEvent[] = [];
    store.follow((event) => events.push(event));
    expect(events).toMatchObject([{ type: "ADDED", object: { metadata: { name: "a" } } }]);
  });

  test("truncates an incomplete last record and reports it", async () => {
    const first = await openStore();
    first.store.create("configmaps", thing("a"));
    const good = imageOf(first.host.files)[journalName]?.length;
    first.store.create("configmaps", thing("b"));
    const { [journalName]: bytes = new Uint8Array() } = imageOf(first.host.files);
    const { store, journal, host } = await openStore({ [journalName]: bytes.subarray(0, -5) });
    expect(store.list("configmaps").map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(journal.notices).toEqual([
      `The last record of ${directory}/${journalName} was incomplete and was truncated at byte ${good}.`,
    ]);
    expect(host.files.info(`${directory}/${journalName}`)?.sizeBytes).toBe(good);
  });

  test("rejects corruption in the middle with its position, and repairs it on request", async () => {
    const first = await openStore();
    for (const name of ["a", "b", "c"]) first.store.create("configmaps", thing(name));
    const { [journalName]: bytes = new Uint8Array() } = imageOf(first.host.files);
    const at = Buffer.from(bytes).indexOf('"name":"b"');
    const damaged = Uint8Array.from(bytes).fill(0x78, at, at + 3);
    const offset = Buffer.from(bytes).lastIndexOf("\n", at) + 1;
    const image: Image = { [journalName]: damaged };
    await expect(openStore(image)).rejects.toThrow(`${directory}/${journalName} at byte ${offset}: `);
    const repaired = await openStore(image, { repairs: true });
    expect(repaired.store.list("configmaps").map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
    expect(repaired.journal.notices).toEqual([
      expect.stringMatching(
        `^Damage in ${directory}/${journalName} at byte ${offset}: \\d+ bytes are not a valid record.$`,
      ),
      "Kept 2 objects: 2 configmaps.",
      `The original files are in ${directory}/damaged-2.`,
    ]);
    expect(repaired.host.files.readBytes(`${directory}/damaged-2/${journalName}`)).toEqual(damaged);
    repaired.store.create("configmaps", thing("d"));
    const again = await openStore(imageOf(repaired.host.files));
    expect(again.store.list("configmaps").map(({ metadata }) => metadata.name)).toEqual(["a", "c", "d"]);
  });

  test("skips a valid record that is not JSON", async () => {
    const first = await openStore();
    first.store.create("configmaps", thing("a"));
    const { [journalName]: bytes = new Uint8Array() } = imageOf(first.host.files);
    const { printRecord } = await import("./record.ts");
    const image = { [journalName]: Buffer.concat([bytes, Buffer.from(printRecord("{"))]) };
    expect((await openStore(image)).store.list("configmaps")).toHaveLength(1);
  });

  test("rejects files of another version", async () => {
    const { host } = await openStore();
    const path = `${directory}/${journalName}`;
    const text = '{"firesteel":7,"revision":0}';
    const { printRecord } = await import("./record.ts");
    host.files.write(path, printRecord(text));
    await expect(openStore(imageOf(host.files))).rejects.toThrow(/another version of Firesteel \(format 7\)/);
  });

  test("writes a snapshot when its journal is large, and removes obsolete files", async () => {
    const { store, host, journal } = await openStore({}, { limitBytes: 2000 });
    store.create("configmaps", thing("a"));
    for (let count = 0; count < 100; count += 1) {
      store.update("configmaps", "default", "a", (current) => ({ ...current, data: { count: `${count}` } }));
      await host.advance(1);
    }
    journal.close();
    const image = imageOf(host.files);
    expect(Object.keys(image).map((name) => name.split("-")[0])).toEqual(["journal", "snapshot"]);
    expect(Object.values(image).reduce((sum, bytes) => sum + bytes.length, 0)).toBeLessThan(5000);
    const again = await openStore(image);
    expect(again.store.list("configmaps")).toEqual(store.list("configmaps"));
    // Changes before the snapshot are no longer stored.
    expect(again.store.since(1)).toBeUndefined();
  });
});

describe("a full disk", () => {
  function limited(space: { bytes: number }) {
    return (files: Parameters<typeof watchedFiles>[0]) =>
      watchedFiles(files, (_, bytes, append) => {
        append(bytes.subarray(0, space.bytes));
        const isComplete = bytes.length <= space.bytes;
        space.bytes = Math.max(0, space.bytes - bytes.length);
        if (!isComplete) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      });
  }

  test("rejects clients' writes completely, and accepts them again when space is free", async () => {
    const space = { bytes: 10_000 };
    const { store, host } = await openStore({}, { wrap: limited(space) });
    store.forRequest().create("configmaps", thing("a"));
    space.bytes = 50;
    const revision = store.revision();
    expect(() => store.forRequest().create("configmaps", thing("b"))).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({ code: 507, reason: "InsufficientStorage" }),
      }),
    );
    expect(store.revision()).toBe(revision);
    expect(store.list("configmaps")).toHaveLength(1);
    space.bytes = 10_000;
    expect(store.forRequest().create("configmaps", thing("b"))).toBeDefined();
    const again = await openStore(imageOf(host.files));
    expect(again.store.list("configmaps")).toEqual(store.list("configmaps"));
  });

  test("does not prevent controllers' writes, which are stored later", async () => {
    const space = { bytes: 10_000 };
    const { store, host } = await openStore({}, { wrap: limited(space) });
    store.create("configmaps", thing("a"));
    space.bytes = 0;
    store.update("configmaps", "default", "a", (current) => ({ ...current, data: { is: "over" } }));
    expect(store.get("configmaps", "default", "a")).toMatchObject({ data: { is: "over" } });
    await host.advance(5000);
    space.bytes = 10_000;
    await host.advance(1000);
    const again = await openStore(imageOf(host.files));
    expect(again.store.list("configmaps")).toEqual(store.list("configmaps"));
  });
});

describe("any writes that are interrupted anywhere", () => {
  test("confirmed writes are restored, and nothing else", { tags: "long" }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.constantFrom(300, 1000, 1_000_000),
        fc.nat(),
        async (steps, limitBytes, seed) => {
          const images: { readonly image: Image; readonly confirmed: number }[] = [];
          let confirmed = 0;
          const opened = await openStore(
            {},
            {
              limitBytes,
              wrap(files) {
                const note = () => images.push({ image: imageOf(files), confirmed });
                return watchedFiles(
                  files,
                  (_, bytes, append) => {
                    const cut = (seed + images.length * 7) % (bytes.length + 1);
                    append(bytes.subarray(0, cut));
                    note();
                    append(bytes.subarray(cut));
                    note();
                  },
                  note,
                );
              },
            },
          );
          const { store, host } = opened;
          const states = [contentOf(store, collections)];
          for (const one of steps) {
            applyStep(store, one);
            states.push(contentOf(store, collections));
            confirmed = states.length - 1;
            await host.advance(1);
          }
          for (const { image, confirmed: least } of images) {
            // Until the start is complete, no other file of the cluster exists.
            const { store: again } = await openStore(image, { isNew: least === 0 });
            const possible = states.slice(least, least + 2);
            expect(possible).toContain(contentOf(again, collections));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
