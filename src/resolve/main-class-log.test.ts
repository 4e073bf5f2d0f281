import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { testZip } from "../host/test-zip.ts";
import { mainClassLog } from "./main-class-log.ts";

const content = testZip(["META-INF/MANIFEST.MF", "org/example/Main.class", "org/example/Main$1.class", "Other.class"]);

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
  ["Mian", "org.example.Main"],
  ["com.other.project.Mian", "org.example.Main"],
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
