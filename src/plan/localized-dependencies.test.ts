import { describe, expect, test } from "vitest";
import { dependencyDirectory, digestOf, localizedCodes, stagedFiles } from "./test-localized.ts";

describe("files of this machine", () => {
  test("are named in the directory that the driver mounts, each list in its order", () => {
    const settings = {
      "spark.jars": "https://h/z.jar,file:/me/a.jar,local:///c.jar",
      "spark.files": "file:/me/conf.json",
      "spark.submit.pyFiles": "file:/me/lib.zip,file:/me/b.py",
      "spark.archives": "file:/me/env.tar.gz#env,https://h/x.zip#y",
    };
    const machine = {
      "/me/a.jar": "jar",
      "/me/conf.json": "{}",
      "/me/lib.zip": "zip",
      "/me/b.py": "b",
      "/me/env.tar.gz": "tar",
      "/me/app.py": "#!",
    };
    const { properties, appResource, localized, uploads } = stagedFiles({
      ...{ settings, machine },
      appResource: { kind: "python", uri: "file:/me/app.py" },
    });
    expect(properties).toEqual({
      "spark.jars": `https://h/z.jar,${dependencyDirectory}/jars/a.jar,local:///c.jar`,
      "spark.files": `${dependencyDirectory}/files/conf.json`,
      "spark.submit.pyFiles": `${dependencyDirectory}/pyfiles/lib.zip,${dependencyDirectory}/pyfiles/b.py`,
      "spark.archives": `${dependencyDirectory}/archives/env.tar.gz#env,https://h/x.zip#y`,
    });
    expect(appResource).toBe(`${dependencyDirectory}/pyfiles/app.py`);
    expect(uploads).toEqual([]);
    expect(localized).toMatchObject({ transport: "secret", directory: "/opt/spark-deps" });
    expect(localized?.entries).toContainEqual({
      ...{ kind: "pyfile", name: "app.py", path: "/me/app.py" },
      ...{ digest: digestOf("#!"), size: 2, executable: true },
    });
  });

  test("include an R application; a missing one is in the image", () => {
    const submission = { appResource: { kind: "r", uri: "file:/me/a.R" } as const };
    expect(stagedFiles({ ...submission, machine: { "/me/a.R": "r" } }).appResource).toBe(
      `${dependencyDirectory}/files/a.R`,
    );
    expect(stagedFiles({ ...submission, machine: {} })).toMatchObject({
      appResource: "file:/me/a.R",
      localized: undefined,
    });
  });

  test("keep their name in --files", () => {
    const settings = { "spark.files": "file:/me/a.txt#b.txt" };
    expect(stagedFiles({ settings, machine: { "/me/a.txt": "a" } }).properties).toEqual({
      "spark.files": `${dependencyDirectory}/files/b.txt`,
    });
  });

  test("T73: are in the configured directory, unless Spark would remove them or its own files would be hidden", () => {
    const settings = (directory: string) => ({
      "spark.files": "file:/me/a",
      "spark.firesteel.staging.directory": directory,
    });
    const machine = { "/me/a": "a" };
    expect(stagedFiles({ settings: settings("/data/./deps/"), machine }).properties).toEqual({
      "spark.files": "file:///data/deps/files/a",
    });
    const wrong = ["/opt/spark/work-dir", "/opt/spark/work-dir/deps", "/opt//spark/./work-dir/", "/opt", "/opt/spark"];
    for (const directory of wrong) {
      expect(localizedCodes({ settings: settings(directory), machine })).toEqual(["SUBMIT_ERR_STAGING_DIRECTORY"]);
    }
    expect(localizedCodes({ settings: settings("/opt/spark/work-directory"), machine })).toEqual([]);
    for (const directory of ["deps", "/a,b", "/a/../opt/spark/work-dir", "/a b"]) {
      expect(localizedCodes({ settings: settings(directory), machine })).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
    }
  });
});
