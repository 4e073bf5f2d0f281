import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { classArchiveDirectory, hasClassArchive, sharesClasses } from "./class-archive.ts";

function machine({ jar = "a", release = 'JAVA_VERSION="17.0.1"' } = {}) {
  return testHost({
    env: { FIRESTEEL_CACHE: "/c" },
    files: { "/spark/jars/a.jar": jar, "/java/release": release },
  });
}

const runtime = { version: "4.3.0", home: "/spark", javaHome: "/java" };
const directory = classArchiveDirectory(machine(), runtime);

test("the archive is in the cache, under Spark's version", () => {
  expect(directory).toMatch(/^\/c\/class-sharing\/4\.3\.0-[0-9a-f]{12}$/);
  expect(classArchiveDirectory(machine(), runtime)).toBe(directory);
});

test.each([
  ["a jar changed", machine({ jar: "longer" }), runtime],
  ["Java was updated", machine({ release: 'JAVA_VERSION="17.0.2"' }), runtime],
  ["another Java runs Spark", machine(), { ...runtime, javaHome: "/other" }],
  ["Spark is elsewhere", machine(), { ...runtime, home: "/elsewhere" }],
])("there is another archive if %s", (_, host, other) => {
  expect(classArchiveDirectory(host, other)).not.toBe(directory);
});

test("a directory without the archive itself has none", () => {
  const host = machine();
  host.files.makeDirectory(directory);
  expect(hasClassArchive(host, directory)).toBe(false);
  host.files.write(`${directory}/spark.jsa`, "");
  expect(hasClassArchive(host, directory)).toBe(true);
});

test("FIRESTEEL_CLASS_SHARING=off switches class sharing off", () => {
  expect(["off", "on", ""].map((value) => sharesClasses({ env: { FIRESTEEL_CLASS_SHARING: value } }))).toEqual([
    false,
    true,
    true,
  ]);
});
