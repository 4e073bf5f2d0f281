import { describe, expect, test } from "vitest";
import { planDriver } from "./driver-conf.ts";
import { type TestSubmission, testDriver, testFacts, testRequest } from "./test-driver.ts";

const uploadPath = "spark.kubernetes.file.upload.path";
const excludedSteps = "spark.kubernetes.driver.pod.excludedFeatureSteps";
const shared = { [uploadPath]: "file:///shared" };
const missing = [{ uuid: "1", sizeBytes: undefined }];

function issues(submission: TestSubmission) {
  const plan = planDriver(testRequest(submission), { ...testFacts, ...submission.facts });
  return plan.ok ? [] : plan.issues;
}

function codes(submission: TestSubmission): readonly string[] {
  return issues(submission).map(({ code }) => code);
}

describe("local dependencies", () => {
  test("get a directory each, and come before the other entries of a list", () => {
    const settings = {
      ...shared,
      "spark.jars": "https://h/b.jar,file:/me/a.jar,local:///c.jar,file:/me/a.jar",
      "spark.archives": "file:/me/env%201.tgz#env,https://h/x.zip#y",
      "spark.submit.pyFiles": "local:///lib.zip",
    };
    expect(testDriver({ settings }).staged).toEqual({
      uploads: [
        {
          scheme: "file",
          path: "/me/a.jar",
          sizeBytes: 10,
          directory: "file:///shared/spark-upload-1",
          name: "a.jar",
        },
        {
          scheme: "file",
          path: "/me/a.jar",
          sizeBytes: 10,
          directory: "file:///shared/spark-upload-2",
          name: "a.jar",
        },
        {
          ...{ scheme: "file", path: "/me/env 1.tgz", sizeBytes: 10 },
          ...{ directory: "file:///shared/spark-upload-3", name: "env 1.tgz" },
        },
      ],
      properties: {
        "spark.jars":
          "file:///shared/spark-upload-1/a.jar,file:///shared/spark-upload-2/a.jar,https://h/b.jar,local:///c.jar",
        "spark.archives": "file:/shared/spark-upload-3/env%201.tgz#env,https://h/x.zip#y",
      },
      appResource: "local:///opt/app/app.jar",
    });
  });

  test("are empty without a file on this machine", () => {
    const settings = { ...shared, "spark.jars": "local:///a.jar,https://h/b.jar" };
    expect(testDriver({ settings }).staged).toMatchObject({ uploads: [], properties: {} });
  });

  test("include a Python application, unless the driver command's step is excluded", () => {
    const appResource = { kind: "python", uri: "file:/me/app.py" } as const;
    expect(testDriver({ settings: shared, appResource }).staged.appResource).toBe(
      "file:///shared/spark-upload-1/app.py",
    );
    const excluded = {
      ...shared,
      [excludedSteps]: "org.apache.spark.deploy.k8s.features.DriverCommandFeatureStep",
    };
    expect(testDriver({ settings: excluded, appResource }).staged.uploads).toEqual([]);
  });

  test("do not include lists if the step that passes them on is excluded", () => {
    const settings = {
      ...shared,
      "spark.files": "file:/me/a.txt",
      [excludedSteps]: "org.apache.spark.deploy.k8s.features.BasicDriverFeatureStep",
    };
    expect(testDriver({ settings }).staged.uploads).toEqual([]);
    expect(testDriver({ settings, line: "4.0" }).staged.uploads).toHaveLength(1);
  });

  test("include an existing R application, which Spark does not upload", () => {
    const appResource = { kind: "r", uri: "file:/me/job.R" } as const;
    const staged = (more: TestSubmission) => testDriver({ settings: shared, appResource, ...more }).staged;
    expect(staged({}).appResource).toBe("file:///shared/spark-upload-1/job.R");
    expect(staged({ behaviors: { rApplications: "spark" } })).toMatchObject({
      uploads: [],
      appResource: "file:/me/job.R",
    });
    expect(staged({ facts: { dependencies: missing } })).toMatchObject({
      uploads: [],
      appResource: "file:/me/job.R",
    });
    expect(testDriver({ appResource }).staged.appResource).toBe("file:/me/job.R");
  });

  test("keep the name in the fragment of a file, which Spark ignores", () => {
    const settings = { ...shared, "spark.files": "file:/me/a.txt#b.txt,file:/me/a.txt#../b" };
    const names = (fileFragments: "kept" | "spark") =>
      testDriver({ settings, behaviors: { fileFragments } }).staged.uploads.map(({ name }) => name);
    expect(names("kept")).toEqual(["b.txt", "a.txt"]);
    expect(names("spark")).toEqual(["a.txt", "a.txt"]);
  });
});

describe("an upload path", () => {
  test.each([
    [{ "spark.jars": "local:///a.jar,https://h/b.jar" }, []],
    [{ "spark.files": "file:/a", [uploadPath]: "gs://b/up" }, ["SUBMIT_ERR_UPLOAD_SCHEME"]],
    [{ "spark.files": "file:/a", [uploadPath]: "s3a://b/up" }, []],
    [{ "spark.files": "file:/a", [uploadPath]: "hdfs://name/up" }, []],
    [{ "spark.files": "file:/a", [uploadPath]: "FILE:///up" }, []],
    [{ "spark.files": "file:/a", [uploadPath]: "/up" }, []],
    [{ [uploadPath]: "gs://b/up" }, []],
  ])("with %j: %j", (settings, expected) => {
    expect(codes({ settings })).toEqual(expected);
  });

  test.each([{ "spark.jars": "file:/a.jar" }, { "spark.archives": "/env.tgz#env" }])(
    "is missed exactly as Spark with %j",
    (settings) => {
      expect(codes({ settings, behaviors: { localFiles: "spark" } })).toEqual(["SUBMIT_ERR_UPLOAD_PATH_MISSING"]);
    },
  );

  test("is ignored if it is blank; Spark reads it as the root of the file system", () => {
    const settings = { "spark.files": "file:/a", [uploadPath]: " " };
    const facts = { dependencies: [{ uuid: "1", sizeBytes: undefined }] };
    expect(codes({ settings, facts })).toEqual(["SUBMIT_ERR_DEPENDENCY_MISSING"]);
    const behaviors = { emptyUploadPath: "spark", localFiles: "spark", missingFiles: "spark" } as const;
    expect(codes({ settings, facts, behaviors })).toEqual([]);
  });

  test("is rejected with alternatives if its file system is not supported", () => {
    const settings = { "spark.files": "file:/me/a.txt,file:/me/b.txt", [uploadPath]: "gs://b/up" };
    const [found] = issues({ settings });
    expect(found?.message).toBe(
      `Cannot upload to gs://b/up (${uploadPath}): gs: is not supported, only file:, s3a:, hdfs: and webhdfs: are.`,
    );
    expect(found?.hint).toContain("Make /me/a.txt, /me/b.txt available to the pods:");
    expect(issues({ settings, behaviors: { uploadSchemes: "spark" } })).toMatchObject([
      {
        message: "Uploading file /me/a.txt failed...",
        causes: [expect.any(String), 'No FileSystem for scheme "gs"'],
      },
    ]);
  });

  test("is rejected if it is on a web server; Spark rejects it during the upload", () => {
    const settings = { "spark.files": "file:/me/a.txt", [uploadPath]: "https://h/up" };
    expect(codes({ settings })).toEqual(["SUBMIT_ERR_UPLOAD_SCHEME"]);
    const behaviors = { uploadSchemes: "spark" } as const;
    expect(codes({ settings, behaviors })).toEqual([]);
    expect(testDriver({ settings, behaviors }).staged.uploads).toMatchObject([{ scheme: "https" }]);
  });

  test("is required for a Python application, but not for an R one or without a resource", () => {
    const uri = "file:/me/app";
    const plain = { behaviors: { localFiles: "spark", rApplications: "spark" } } as const;
    expect(codes({ ...plain, appResource: { kind: "python", uri } })).toEqual(["SUBMIT_ERR_UPLOAD_PATH_MISSING"]);
    expect(codes({ ...plain, appResource: { kind: "r", uri } })).toEqual([]);
    expect(codes({ ...plain, appResource: { kind: "python", uri: "spark-internal" } })).toEqual([]);
  });
});

test("reports missing files without an upload path; in strict mode, the missing path", () => {
  const submission = {
    settings: { "spark.files": "file:/me/a.txt" },
    facts: { dependencies: [{ uuid: "u", sizeBytes: undefined }] },
  };
  expect(codes(submission)).toEqual(["SUBMIT_ERR_DEPENDENCY_MISSING"]);
  expect(codes({ ...submission, behaviors: { localFiles: "spark", missingFiles: "spark" } })).toEqual([
    "SUBMIT_ERR_UPLOAD_PATH_MISSING",
  ]);
});

test("reports all missing files together; in strict mode, only during the upload", () => {
  const submission = {
    settings: { ...shared, "spark.files": "file:/me/a.txt", "spark.jars": "file:/me/b.jar" },
    facts: {
      dependencies: [
        { uuid: "1", sizeBytes: undefined },
        { uuid: "2", sizeBytes: undefined },
      ],
    },
  };
  expect(issues(submission)).toMatchObject([
    {
      code: "SUBMIT_ERR_DEPENDENCY_MISSING",
      message: "/me/b.jar (spark.jars) is not a file on this machine.",
      hint: "Correct the path. If the file is in the image, write local:///me/b.jar.",
    },
    { message: "/me/a.txt (spark.files) is not a file on this machine." },
  ]);
  expect(issues({ ...submission, behaviors: { missingFiles: "spark" } })).toEqual([]);
});
