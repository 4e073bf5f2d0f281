import { expect, test } from "vitest";
import { uploadActivity } from "./upload-activity.ts";

/** Starts writers that end when they are aborted, and counts concurrent writers. */
function writers() {
  const activity = uploadActivity();
  const seen = { now: 0, max: 0, cuts: 0 };
  const write = () => {
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const cut = () => {
      seen.cuts += 1;
      stop();
    };
    const done = activity.write("u", cut, async () => {
      seen.now += 1;
      seen.max = Math.max(seen.max, seen.now);
      await stopped;
      await new Promise(setImmediate);
      seen.now -= 1;
    });
    return { done, stop };
  };
  return { activity, seen, write };
}

test("runs one of several concurrent writers of an upload", async () => {
  const { seen, write } = writers();
  const all = [write(), write(), write()];
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  for (const { stop } of all) stop();
  await Promise.all(all.map(({ done }) => done));
  expect(seen).toMatchObject({ now: 0, max: 1 });
});

test("a commit aborts the writer and waits for other commits", async () => {
  const { activity, seen, write } = writers();
  const { done } = write();
  const order: string[] = [];
  const finish = (name: string) =>
    activity.finish("u", async () => {
      expect(seen.now).toBe(0);
      order.push(`${name} starts`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
    });
  await Promise.all([finish("one"), finish("two"), done]);
  expect(order).toEqual(["one starts", "one ends", "two starts", "two ends"]);
  expect(seen.cuts).toBeGreaterThan(0);
});

test("waits until an aborted writer has stopped", async () => {
  const { activity, seen, write } = writers();
  const { done } = write();
  await activity.stop("u");
  expect(seen).toMatchObject({ now: 0, cuts: 1 });
  await Promise.all([done, activity.stop("another")]);
});

test("a failure does not block the next operation", async () => {
  const { activity } = writers();
  const failing = async () => {
    throw new Error("broken");
  };
  await expect(activity.write("u", () => {}, failing)).rejects.toThrow("broken");
  await expect(activity.finish("u", failing)).rejects.toThrow("broken");
  expect(await activity.finish("u", async () => "done")).toBe("done");
  expect(activity.isWriting("u")).toBe(false);
});
