import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { mainClassLog } from "./main-class-log.ts";

/** Builds the directory of a zip archive: all that names need. */
function jar(names: readonly string[]): Uint8Array {
  const entries = names.map((name) => {
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(name.length, 28);
    return Buffer.concat([entry, Buffer.from(name)]);
  });
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(directory.length, 12);
  return Buffer.concat([directory, end]);
}

const content = jar(["META-INF/MANIFEST.MF", "org/example/Main.class", "org/example/Main$1.class", "Other.class"]);

function warnings(
  mainClass: string,
  { uri = "file:/w/app.jar", file = content }: { uri?: string; file?: Uint8Array } = {},
) {
  const host = testHost({ files: { "/w/app.jar": file } });
  return mainClassLog(host, { appResource: { kind: "java", uri }, mainClass }).map(({ text }) => text);
}

test.each([
  ["org.example.Mian", "org.example.Main"],
  ["org.exmaple.Main", "org.example.Main"],
  ["com.other.project.Main", "org.example.Main"],
  ["main", "org.example.Main"],
  ["Othr", "Other"],
])("warns of %s and suggests %s", (mainClass, nearest) => {
  const text = `The class ${mainClass} (--class) is not in /w/app.jar. Did you mean ${nearest}?`;
  expect(warnings(mainClass)).toEqual([text]);
});

test("does not warn of a class that exists or resembles none, of another place, or of a file that is not a jar", () => {
  expect(warnings("org.example.Main")).toEqual([]);
  expect(warnings("org.example.Main$1")).toEqual([]);
  expect(warnings("org.apache.spark.examples.SparkPi")).toEqual([]);
  expect(warnings("org.example.Mian", { uri: "local:///w/app.jar" })).toEqual([]);
  expect(warnings("org.example.Mian", { uri: "https://h/app.jar" })).toEqual([]);
  expect(warnings("org.example.Mian", { uri: "file:/w/none.jar" })).toEqual([]);
  expect(warnings("org.example.Mian", { file: Buffer.from("text") })).toEqual([]);
  const damaged = Buffer.from(content);
  damaged.fill(0, 0, 4);
  expect(warnings("org.example.Mian", { file: damaged })).toEqual([]);
});
