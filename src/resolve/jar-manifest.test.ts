import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { hasRPackages, readMainClass } from "./jar-manifest.ts";

/** Builds a zip archive with one entry and without a checksum. */
function zip(name: string, content: string, { packed = true, comment = "" } = {}): Uint8Array {
  const data = packed ? deflateRawSync(content) : Buffer.from(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(packed ? 8 : 0, 10);
  entry.writeUInt32LE(data.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length + name.length, 12);
  end.writeUInt32LE(header.length + name.length + data.length, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([header, Buffer.from(name), data, entry, Buffer.from(name), end, Buffer.from(comment)]);
}

async function mainClassOf(
  content: string | Uint8Array,
  uri = "file:/w/app.jar",
  mainClassLookup: "anywhere" | "spark" = "anywhere",
): Promise<string> {
  const result = await readMainClass(uri, {
    host: testHost({ files: { "/w/app.jar": content } }),
    behaviors: { mainClassLookup },
  });
  return result.ok ? result.value : result.issues.map(({ code, message }) => `${code}: ${message}`).join("\n");
}

const name = "META-INF/MANIFEST.MF";

test("readMainClass reads the main class, also from a continued line", async () => {
  expect(await mainClassOf(zip(name, "Manifest-Version: 1.0\r\nMain-Class: org.example.Main\r\n\r\n"))).toBe(
    "org.example.Main",
  );
  expect(await mainClassOf(zip(name, "Main-Class: org.exam\n ple.Main\n", { packed: false }))).toBe("org.example.Main");
  expect(await mainClassOf(zip(name, "Main-Class: First\nMain-Class: Last\n"))).toBe("Last");
  expect(await mainClassOf(zip(name, "main-class: M\n", { comment: "made by a tool" }))).toBe("M");
});

test("T71: readMainClass asks for --class without a main class or a manifest", async () => {
  const missing = "SUBMIT_ERR_MAIN_CLASS_MISSING: No main class set in JAR; please specify one with --class.";
  expect(await mainClassOf(zip(name, "Manifest-Version: 1.0\n\nName: x\nMain-Class: Late\n"))).toBe(missing);
  expect(await mainClassOf(zip("X.class", ""))).toBe(missing);
});

test("readMainClass reports why a jar cannot be read", async () => {
  const failed = (reason: string) =>
    `SUBMIT_ERR_MAIN_CLASS_UNREADABLE: Failed to get main class in JAR with error '${reason}'.  Please specify one with --class.`;
  expect(await mainClassOf("no zip")).toBe(failed("/w/app.jar is not a jar"));
  for (const jar of ["no zip", zip("other", "x")]) {
    expect(await mainClassOf(jar, "file:/w/app.jar", "spark")).toContain("JarInputStream.getManifest()");
  }
  expect(await mainClassOf("", "file:/w/none.jar")).toBe(failed("File file:/w/none.jar does not exist"));
  expect(await mainClassOf("", "file:///w/a%20b.jar#c")).toBe(failed("File file:/w/a b.jar#c does not exist"));
  expect(await mainClassOf("", "file:/w/")).toBe(failed("/w (Is a directory)"));
  expect(await mainClassOf("", "local:///x.jar")).toBe(failed('No FileSystem for scheme "local"'));
  expect(await mainClassOf("", "s3a://b/x.jar")).toBe(failed('No FileSystem for scheme "s3a"'));
});

test("hasRPackages reads the manifest", async () => {
  const read = (manifest: string, uri = "file:/w/a.jar") =>
    hasRPackages(uri, testHost({ files: { "/w/a.jar": zip("META-INF/MANIFEST.MF", manifest), "/w/b.jar": "no zip" } }));
  expect(await read("Manifest-Version: 1.0\r\nSpark-HasRPackage: true\r\n\r\n")).toBe(true);
  expect(await read("Manifest-Version: 1.0\r\nSpark-HasRPackage: false\r\n\r\n")).toBe(false);
  expect(await read("Manifest-Version: 1.0\r\n\r\n")).toBe(false);
  for (const uri of ["file:/w/b.jar", "file:/w/none.jar", "hdfs:///a.jar"]) expect(await read("", uri)).toBe(false);
});
