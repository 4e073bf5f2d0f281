import { expect, test } from "vitest";
import { parseBatchRequest } from "./batch-request.ts";
import { batchTag, mapBatch } from "./new-batch.ts";

const rules = {
  ...{ defaultFileSystem: undefined, localDirectories: [], rejectedSettings: ["spark.extra"] },
  namespaces: ["spark"],
};
const map = (body: Record<string, unknown>) => mapBatch(parseBatchRequest(body).request, rules);

// The expected settings are those that Livy 0.9.0 derived from these requests, but for archives: see compatibility.md.
test("all fields become settings and options of spark-submit", () => {
  const body = {
    ...{ file: "s3a://bucket/app.jar", className: "Main", args: ["1"], name: "all" },
    ...{ jars: ["s3a://bucket/a.jar", "local:///b.jar"], pyFiles: ["s3a://bucket/m.py"] },
    ...{ files: ["s3a://bucket/x.txt"], archives: ["s3a://bucket/y.zip#env"] },
    ...{ driverMemory: "1g", driverCores: 2, executorMemory: "2g", executorCores: 3, numExecutors: 4 },
    conf: { "spark.ui.enabled": "false" },
  };
  expect(map(body)).toEqual({
    problems: [],
    submission: {
      fields: { name: "all", mainClass: "Main" },
      settings: {
        "spark.ui.enabled": "false",
        "spark.jars": "s3a://bucket/a.jar,local:///b.jar",
        "spark.files": "s3a://bucket/x.txt",
        "spark.archives": "s3a://bucket/y.zip#env",
        "spark.submit.pyFiles": "s3a://bucket/m.py",
        "spark.driver.memory": "1g",
        "spark.driver.cores": "2",
        "spark.executor.memory": "2g",
        "spark.executor.cores": "3",
        "spark.executor.instances": "4",
      },
      ...{ resource: "s3a://bucket/app.jar", appArgs: ["1"], templates: {} },
    },
  });
});

test("lists in conf come after those of the request, without empty entries", () => {
  const conf = { "spark.jars": "local:///b.jar, local:///c.jar", "spark.files": "local:///x" };
  const { submission } = map({ file: "local:///app.jar", jars: ["", "local:///a.jar"], conf });
  expect(submission.settings).toEqual({
    "spark.jars": "local:///a.jar,local:///b.jar,local:///c.jar",
    "spark.files": "local:///x",
  });
});

test("fields take precedence over conf", () => {
  const conf = { "spark.driver.memory": "9g", "spark.executor.instances": "9" };
  const { submission } = map({ file: "local:///app.jar", driverMemory: "1g", numExecutors: 3, conf });
  expect(submission.settings).toEqual({ "spark.driver.memory": "1g", "spark.executor.instances": "3" });
});

test.each([{}, { file: "" }])("a request without a file is rejected: %j", (body) => {
  expect(map(body).problems).toEqual(["File is required."]);
});

test.each(["", "2024", "0"])("the name '%s' is rejected", (name) => {
  expect(map({ file: "local:///a.jar", name }).problems).toEqual([`Invalid session name: ${name}`]);
});

test.each(["-1", "a b/c", "ä", "x".repeat(400), "1a"])("the name '%s' is accepted", (name) => {
  expect(map({ file: "local:///a.jar", name }).problems).toEqual([]);
});

test("settings that clients must not set are rejected together", () => {
  const conf = {
    ...{ "spark.master": "local[*]", "spark.extra": "1", "spark.executor.cores": "1" },
    ...{ "spark.kubernetes.driver.podTemplateFile": "/etc/passwd", "spark.submit.deployMode": "client" },
  };
  expect(map({ file: "local:///a.jar", conf }).problems).toEqual([
    "Blacklisted configuration values in session config: spark.master, spark.extra, spark.kubernetes.driver.podTemplateFile, spark.submit.deployMode",
  ]);
});

test("a namespace is rejected unless it is allowed", () => {
  const inNamespace = (namespace: string) =>
    map({ file: "local:///a.jar", conf: { "spark.kubernetes.namespace": namespace } }).problems;
  expect(inNamespace("spark")).toEqual([]);
  expect(inNamespace("kube-system")).toEqual(["The namespace 'kube-system' is not allowed; allowed: spark."]);
});

test.each(["spark.files", "spark.jars", "spark.submit.pyFiles", "spark.archives", "spark.yarn.dist.files"])(
  "a file of the server in %s is rejected",
  (key) => {
    const { problems } = map({ file: "local:///a.jar", conf: { [key]: "local:///b,file:///etc/passwd" } });
    expect(problems).toEqual(["Local path /etc/passwd cannot be added to user sessions."]);
  },
);

test("a tag has the ID and eight lower-case letters and digits", () => {
  expect(batchTag("7", Uint8Array.from([0, 25, 26, 35, 36, 255, 1, 2]))).toBe("livy-batch-7-az09adbc");
});
