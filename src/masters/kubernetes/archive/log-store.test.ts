import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { logStore } from "./log-store.ts";

const id = { pod: "d", container: "c", isPrevious: false };

test("lists the logs with content, and what was written", () => {
  const host = testHost({ files: { "/w/x": "" } });
  const store = logStore(host, "/w");
  store.open({ ...id, container: "empty" });
  store.open(id).write("one\ntwo\n");
  const [log, ...others] = store.list();
  expect(log).toMatchObject({ ...id, omittedBytes: 0 });
  expect(log?.paths.map((path) => host.files.readText(path)).join("")).toBe("one\ntwo\n");
  expect(others).toEqual([]);
  expect([store.has(id), store.has({ ...id, isPrevious: true })]).toEqual([true, false]);
});

test("a log that was opened without content can be opened again beside others", () => {
  const host = testHost({ files: { "/w/x": "" } });
  const store = logStore(host, "/w");
  store.open(id);
  expect(store.has(id)).toBe(false);
  store.open(id).write("one\n");
  store.open({ ...id, pod: "e" }).write("two\n");
  const texts = store.list().map(({ paths }) => paths.map((path) => host.files.readText(path)).join(""));
  expect(texts).toEqual(["one\n", "two\n"]);
});

test("keeps the end of a log above the limit, and counts the rest", () => {
  const host = testHost({ files: { "/w/x": "" } });
  const store = logStore(host, "/w", 200_000);
  const sink = store.open(id);
  const line = `${"x".repeat(99)}\n`;
  for (let count = 0; count < 5000; count += 1) sink.write(line);
  sink.write("the end\n");
  const [log] = store.list();
  const text = (log?.paths ?? []).map((path) => host.files.readText(path) ?? "").join("");
  expect(text.endsWith("the end\n")).toBe(true);
  expect(text.length).toBeLessThan(400_000);
  expect((log?.omittedBytes ?? 0) + text.length).toBe(500_008);
});
