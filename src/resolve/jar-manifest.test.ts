import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
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

interface TestEntry {
  readonly name: string;
  readonly content?: Uint8Array;
  readonly flags?: number;
  readonly method?: number;
  /** Values in the directory that differ from the content. */
  readonly packedBytes?: number;
  readonly offset?: number;
  /** Extra field in the directory. */
  readonly extra?: Buffer;
}

const deflated = 8;
const manifestEntry = (text: string): TestEntry => ({ name, content: deflateRawSync(text), method: deflated });

/** Builds an archive with these entries after a prefix. */
function archive(entries: readonly TestEntry[], { prefix = "", zip64 = false, directoryBytes = 0 } = {}): Buffer {
  const locals: Buffer[] = [Buffer.from(prefix)];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name: entryName, content = Buffer.alloc(0), flags = 0, method = 0, ...differs } of entries) {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(entryName.length, 26);
    const { packedBytes = content.length, extra = Buffer.alloc(0) } = differs;
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(flags, 8);
    record.writeUInt16LE(method, 10);
    record.writeUInt32LE(packedBytes, 20);
    record.writeUInt16LE(entryName.length, 28);
    record.writeUInt16LE(extra.length, 30);
    record.writeUInt32LE(differs.offset ?? offset, 42);
    locals.push(header, Buffer.from(entryName), Buffer.from(content));
    directory.push(record, Buffer.from(entryName), extra);
    offset += header.length + entryName.length + content.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length & 0xffff, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : all.length + directoryBytes, 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16);
  return Buffer.concat([...locals, all, ...(zip64 ? records64(all.length, offset) : []), end]);
}

function records64(directoryBytes: number, offset: number): readonly Buffer[] {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + directoryBytes), 8);
  return [record, locator];
}

function extra64(...values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return Buffer.concat([Buffer.from([0xca, 0xfe, 0, 0]), field]);
}

describe("readMainClass of an unusual jar", () => {
  const main = manifestEntry("Main-Class: org.example.Main\n");
  const content = main.content ?? Buffer.alloc(0);
  const many = Array.from({ length: 70_000 }, (_, index) => ({ name: `C${index}.class` }));

  test.each<[string, Buffer]>([
    ["in zip64", archive([main], { zip64: true })],
    [
      "with sizes and offset in a zip64 field",
      archive([{ ...main, packedBytes: 0xffffffff, offset: 0xffffffff, extra: extra64(content.length, 0) }]),
    ],
    ["with 70,001 entries, more than its count can state", archive([...many, main])],
    ["behind a shell script", archive([main], { prefix: "#!/bin/sh\nexec java -jar $0\n" })],
    ["with entries that share their content", archive([{ name: "x" }, main, { ...main, name: "A.class", offset: 31 }])],
    ["with a packed size that is too large", archive([{ ...main, packedBytes: 1_000_000 }])],
  ])("%s finds the main class", async (_, jar) => {
    expect(await mainClassOf(jar)).toBe("org.example.Main");
  });

  const bomb = manifestEntry(`Main-Class: org.example.Main\n${"\0".repeat(17_000_000)}`);
  test.each<[string, Buffer, string]>([
    ["with a manifest that inflates to 17 MB", archive([bomb]), "has a manifest of more than 16000000 bytes"],
    [
      "with a packed size of 4 GB",
      archive([{ ...main, packedBytes: 0xfffffffe }]),
      "has a manifest of more than 16000000 bytes",
    ],
    [
      "with a zip64 size of 8 TB",
      archive([{ ...main, packedBytes: 0xffffffff, extra: extra64(2 ** 43) }]),
      "has a manifest of more than 16000000 bytes",
    ],
    ["with an encrypted manifest", archive([{ ...main, flags: 1 }]), "has an encrypted manifest"],
    [
      "with an unknown compression",
      archive([{ ...main, method: 93 }]),
      "has a manifest with the unsupported compression method 93",
    ],
    ["with damaged content", archive([{ ...main, content: Buffer.from("no deflate") }]), "has a damaged manifest"],
    ["with a directory larger than the file", archive([main], { directoryBytes: 2 ** 31 }), "is not a jar"],
    ["with an offset beyond the file", archive([{ ...main, offset: 2 ** 31 }]), "is not a jar"],
    ["with zip64 marks only", archive([main], { zip64: true }).subarray(-22), "is not a jar"],
  ])("%s is rejected", async (_, jar, problem) => {
    expect(await mainClassOf(jar)).toContain(`/w/app.jar ${problem}'`);
    expect(await mainClassOf(jar, "file:/w/app.jar", "spark")).toContain("JarInputStream.getManifest()");
  });
});
