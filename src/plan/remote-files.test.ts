import { describe, expect, test } from "vitest";
import { sparkBehaviors } from "./test-driver.ts";
import { localizedCodes, localizedDriver, localizedIssues, stagedFiles } from "./test-localized.ts";

const initContainer = { "spark.firesteel.staging.remoteFiles": "initContainer" };
const machine = { "/me/a.jar": "jar" };

describe("remote files that the init container fetches", () => {
  test("get names in the directory of localized files, and their places in the lists", () => {
    const settings = {
      ...initContainer,
      "spark.jars": "s3a://b/z.jar,local:///in-image.jar,gs://b/left.jar",
      "spark.files": "https://me:pw@h/d/app.json?k=s#conf.json",
      "spark.archives": "hdfs://ns/env.tar.gz#env",
    };
    const { properties, localized } = stagedFiles({ machine, settings });
    expect(properties).toEqual({
      "spark.jars": "file:///opt/spark-deps/jars/z.jar,local:///in-image.jar,gs://b/left.jar",
      "spark.files": "file:///opt/spark-deps/files/conf.json",
      "spark.archives": "file:///opt/spark-deps/archives/env.tar.gz#env",
    });
    expect(localized).toMatchObject({
      transport: "remote",
      entries: [],
      remote: [
        { kind: "jar", name: "z.jar", uri: "s3a://b/z.jar" },
        { kind: "file", name: "conf.json", uri: "https://me:pw@h/d/app.json?k=s#conf.json" },
        { kind: "archive", name: "env.tar.gz", uri: "hdfs://ns/env.tar.gz#env" },
      ],
    });
    expect(localized?.log.text).toBe(
      "For the driver, the init container fetches s3a://b/z.jar, https://h/d/app.json, hdfs://ns/env.tar.gz into /opt/spark-deps",
    );
  });

  test("are left to Spark by default and with Spark's behavior", () => {
    const settings = { "spark.files": "https://h/a" };
    expect(localizedDriver({ machine, settings }).staged.localized).toBeUndefined();
    const strict = { machine, settings: { ...settings, ...initContainer }, behaviors: sparkBehaviors };
    expect(localizedDriver(strict).staged.localized).toBeUndefined();
  });

  test("can include the application: a script by its path, a jar in the list of jars", () => {
    const appResource = { kind: "python", uri: "s3a://b/job.py" } as const;
    const python = { machine, settings: initContainer, appResource };
    expect(stagedFiles(python).appResource).toBe("file:///opt/spark-deps/pyfiles/job.py");
    const jar = "s3a://b/app.jar";
    const java = { machine, settings: { ...initContainer, "spark.jars": jar } };
    expect(stagedFiles({ ...java, appResource: { kind: "java", uri: jar } })).toMatchObject({
      appResource: "spark-internal",
      properties: { "spark.jars": "file:///opt/spark-deps/jars/app.jar" },
    });
  });

  test("are beside local files, which then need a transport with an init container", () => {
    const settings = { ...initContainer, "spark.jars": "/me/a.jar,https://h/b.jar" };
    expect(stagedFiles({ machine, settings }).localized).toMatchObject({ transport: "push" });
    const transport = { "spark.firesteel.staging.transport": "secret" };
    expect(localizedCodes({ machine, settings: { ...settings, ...transport } })).toEqual([
      "SUBMIT_ERR_STAGING_REMOTE_FILES",
    ]);
    const uploadPath = { "spark.kubernetes.file.upload.path": "/shared" };
    expect(stagedFiles({ machine, settings: { ...settings, ...uploadPath } }).uploads).toEqual([]);
  });

  test("T64: are rejected if two of them, or a local one, have the same name", () => {
    const settings = {
      ...initContainer,
      "spark.jars": "https://h/a/x.jar?s=1,s3a://b/x.jar,/me/a.jar,https://h/a.jar",
    };
    expect(localizedIssues({ machine, settings }).map(({ message }) => message)).toEqual([
      "Two different files have the same name x.jar in the driver's working directory: https://h/a/x.jar and s3a://b/x.jar.",
      "Two different files have the same name a.jar in the driver's working directory: /me/a.jar and https://h/a.jar.",
    ]);
  });

  test("need the image of the init container, and a name that programs can use", () => {
    const noImage = { ...initContainer, "spark.firesteel.staging.initContainer.image": undefined };
    const files = { "spark.files": "https://h/a" };
    expect(localizedCodes({ machine, settings: { ...noImage, ...files } })).toEqual([
      "SUBMIT_ERR_STAGING_NO_INIT_IMAGE",
    ]);
    const names = { "spark.files": "https://h/,https://h/a%20b" };
    expect(localizedCodes({ machine, settings: { ...initContainer, ...names } })).toEqual([
      "SUBMIT_ERR_STAGING_NAME",
      "SUBMIT_ERR_STAGING_NAME",
    ]);
  });
});
