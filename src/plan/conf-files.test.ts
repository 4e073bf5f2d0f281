import { describe, expect, test } from "vitest";
import { chooseConfFiles, isShippedConfFile } from "./conf-files.ts";
import type { ConfFile } from "./facts.ts";
import { testDriver } from "./test-driver.ts";

test.each([
  "spark-defaults.conf",
  "spark.properties",
  "sparkX.conf",
  "log4j2.properties.template",
  "a.jar",
  "b.tar",
  "c.gz",
  "d.zip",
])("does not copy %s", (name) => {
  expect(isShippedConfFile(name)).toBe(false);
});

test.each(["spark-env.sh", "log4j2.properties", "my-spark.conf", "hive-site.xml", "sample.conf"])(
  "%s goes to the driver",
  (name) => {
    expect(isShippedConfFile(name)).toBe(true);
  },
);

function file(name: string, text: string | undefined): ConfFile {
  return { name, text, sizeBytes: text?.length ?? 5 };
}

function choose(files: readonly ConfFile[], maxSize = 1_048_576) {
  const settings = { "spark.kubernetes.configMap.maxSize": String(maxSize) };
  const { texts, log } = chooseConfFiles(testDriver({ settings, facts: { confDirectory: { path: "/conf", files } } }));
  return { names: Object.keys(texts), log: log.map(({ level, text }) => `${level} ${text}`) };
}

describe("the files of the configuration directory", () => {
  const equal = [3, 1, 2].map((index) => file(`testConf.${index}`, "test123456"));

  test("are copied while their sum is below the limit", () => {
    expect(choose(equal, 60)).toEqual({
      names: ["testConf.1", "testConf.2"],
      log: [
        "INFO Spark configuration files loaded from Some(/conf) : testConf.1,testConf.2",
        "WARN Skipped conf file(s) testConf.3, due to size constraint. Please see, config: `spark.kubernetes.configMap.maxSize` for more details.",
      ],
    });
  });

  test("are copied in order of size, and silently skipped above the limit", () => {
    expect(choose([file("large", "x".repeat(100)), file("medium", "xx"), file("s", "x")], 50)).toEqual({
      names: ["s", "medium"],
      log: ["INFO Spark configuration files loaded from Some(/conf) : medium,s"],
    });
  });

  test("are skipped with a warning if they are not UTF-8", () => {
    expect(choose([file("bin.dat", undefined), file("ok.txt", "ok")])).toEqual({
      names: ["ok.txt"],
      log: [
        "WARN Unable to read a non UTF-8 encoded file /conf/bin.dat. Skipping...",
        "INFO Spark configuration files loaded from Some(/conf) : ok.txt",
      ],
    });
  });

  test("are empty without a directory", () => {
    expect(chooseConfFiles(testDriver())).toEqual({ texts: {}, log: [] });
  });
});
