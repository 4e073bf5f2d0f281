import { expect, test } from "vitest";
import { uploadActivity } from "./upload-activity.ts";

/** Work that ends when it is cut, and counts how many do the same at once. */
function writers() {
  const activity = uploadActivity();
  const seen = { now: 0, most: 0, cuts: 0 };
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
      seen.most = Math.max(seen.most, seen.now);
      await stopped;
      await new Promise(setImmediate);
      seen.now -= 1;
    });
    return { done, stop };
  };
  return { activity, seen, write };
}

test("of those who write the same upload at once, one writes", async () => {
  const { seen, write } = writers();
  const all = [write(), write(), write()];
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  for (const { stop } of all) stop();
  await Promise.all(all.map(({ done }) => done));
  expect(seen).toMatchObject({ now: 0, most: 1 });
});

test("who finishes an upload cuts off who writes it, and waits for others that finish it", async () => {
  const { activity, seen, write } = writers();
  const { done } = write();
  const order: string[] = [];
  const finish = (name: string) =>
    activity.finish("u", async () => {
      expect(seen.now).toBe(0);
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
    });
  await Promise.all([finish("one"), finish("two"), done]);
  expect(order).toEqual(["one begins", "one ends", "two begins", "two ends"]);
  expect(seen.cuts).toBeGreaterThan(0);
});

test("what fails keeps nobody from the next", async () => {
  const { activity } = writers();
  const failing = async () => {
    throw new Error("broken");
  };
  await expect(activity.write("u", () => {}, failing)).rejects.toThrow("broken");
  await expect(activity.finish("u", failing)).rejects.toThrow("broken");
  expect(await activity.finish("u", async () => "done")).toBe("done");
  expect(activity.isWriting("u")).toBe(false);
});
