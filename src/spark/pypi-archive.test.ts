import { describe, expect, test } from "vitest";
import { showProgress } from "../host/progress.ts";
import type { TestChild } from "../host/test-children.ts";
import { type TestHost, testHost } from "../host/test-host.ts";
import { installSpark } from "./install-spark.ts";

const archiveSha256 = "9f2fb0e5bd3af8e6a4cb0bd2b9d54c9a0aa0a5f8e6a3f0f0b8a2b6d5a8c9a1f2";
const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Contents of the pyspark 4.3.0 archive, abridged. */
const archive = {
  "deps/bin/spark-submit": "",
  "deps/sbin/start-history-server.sh": "",
  "deps/jars/spark-core_2.13-4.3.0.jar": "",
  "deps/jars/py4j-0.10.9.9.jar": "",
  "deps/examples/pi.py": "pi",
  "lib/py4j-0.10.9.9-src.zip": "py4j",
  "pyspark/version.py": "",
};

/** Machine whose pip, tar and zip do with these files what the real programs do. */
function machine({
  publishedSha256 = emptySha256,
  contents = archive,
}: {
  publishedSha256?: string;
  contents?: object;
} = {}): TestHost {
  const play = (child: TestChild) => {
    const commandLine = [child.command, ...child.args];
    const after = (option: string) => commandLine[commandLine.indexOf(option) + 1] ?? "";
    const put = (directory: string, names: object) => {
      for (const [name, content] of Object.entries(names)) {
        const path = `${directory}/${name}`;
        host.files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
        host.files.write(path, String(content));
      }
    };
    if (commandLine.includes("download")) {
      put(after("--dest"), { "pyspark-4.3.0.tar.gz": "" });
      child.write(1, `  Downloading pyspark-4.3.0.tar.gz (455.9 MB)\n`);
      child.write(1, `Found link https://index/pyspark-4.3.0.tar.gz#sha256=${publishedSha256} (from https://index)\n`);
    } else if (child.command === "tar") put(after("-C"), contents);
    else if (commandLine.includes("zipfile")) put("/", { [after("-c").slice(1)]: `zip of ${commandLine.at(-1)}` });
    else if (commandLine.includes("install")) put(after("--target"), { "py4j/version.py": "" });
    child.exit(0);
  };
  const host = testHost({
    env: { FIRESTEEL_CACHE: "/c", FIRESTEEL_SPARK_MIRROR: "http://127.0.0.1:1" },
    spawn: play,
  });
  return host;
}

const install = (host: TestHost) => host.settle(installSpark(host, { version: "4.3.0", progress: showProgress(host) }));

describe("a Spark home from PyPI", () => {
  test("has the files of a distribution, and the libraries that a Python driver needs", async () => {
    const host = machine();
    expect(await install(host)).toEqual({ home: "/c/spark/4.3.0", version: "4.3.0" });
    const { files } = host;
    expect(files.readText("/c/spark/4.3.0/examples/src/main/python/pi.py")).toBe("pi");
    expect(files.list("/c/spark/4.3.0/python/lib")).toEqual(["py4j-0.10.9.9-src.zip", "pyspark.zip"]);
    expect(files.info("/c/spark/4.3.0/python/pyspark/version.py")?.kind).toBe("file");
    expect(files.info("/c/spark/4.3.0/bin/spark-submit")?.mode).toBe(0o755);
    expect(files.readText("/c/spark/4.3.0.sha256")).toBe(`${emptySha256}  pyspark-4.3.0.tar.gz\n`);
    expect(files.list("/c/spark")).toEqual(["4.3.0", "4.3.0.sha256"]);
  });

  test("gets py4j separately if the archive has none", async () => {
    const { "lib/py4j-0.10.9.9-src.zip": _, ...contents } = archive;
    const host = machine({ contents });
    await install(host);
    expect(host.files.readText("/c/spark/4.3.0/python/lib/py4j-0.10.9.9-src.zip")).toBe("zip of py4j");
    expect(host.children.some(({ args }) => args.includes("py4j==0.10.9.9"))).toBe(true);
  });

  test("is rejected if the archive's checksum is not the index's", async () => {
    const host = machine({ publishedSha256: archiveSha256 });
    await expect(install(host)).rejects.toThrow(`but the index says ${archiveSha256}`);
    expect(host.files.list("/c/spark")).toEqual([]);
  });

  test("leaves no files when pip fails, and reports pip's error", async () => {
    const error = "ERROR: No matching distribution found for pyspark==4.3.0";
    const host = testHost({
      env: { FIRESTEEL_CACHE: "/c", FIRESTEEL_SPARK_MIRROR: "http://127.0.0.1:1" },
      spawn: (child) => {
        if (child.args.includes("download")) child.write(2, `${error}\n\nnotice\n`);
        child.exit(child.args.includes("download") ? 1 : 0);
      },
    });
    await expect(install(host)).rejects.toThrow("PyPI: No matching distribution found for pyspark==4.3.0");
    expect(host.files.list("/c/spark")).toEqual([]);
  });
});
