import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../host/test-host.ts";
import { testRequest } from "../plan/test-driver.ts";
import { readFacts } from "./read-facts.ts";

const driverTemplate = "spark.kubernetes.driver.podTemplateFile";
const executorTemplate = "spark.kubernetes.executor.podTemplateFile";
const authenticate = "spark.kubernetes.authenticate.driver";

async function read(host: TestHostOptions, settings: Readonly<Record<string, string>> = {}) {
  const read = await readFacts(testHost(host), testRequest({ settings }));
  expect(read.issues).toEqual([]);
  return read.facts;
}

async function issues(host: TestHostOptions, settings: Readonly<Record<string, string>>) {
  return (await readFacts(testHost(host), testRequest({ settings }))).issues;
}

describe("facts", () => {
  test("have IDs in Spark's format", async () => {
    const facts = await read({});
    expect(facts.appId).toMatch(/^spark-[0-9a-f]{32}$/);
    expect(Object.values(facts.uniqueIds)).toHaveLength(new Set(Object.values(facts.uniqueIds)).size);
    for (const id of Object.values(facts.uniqueIds)) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(facts.localDirUuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(facts.submitDate).toMatch(/^[A-Z][a-z]{2} Jan 0\d \d\d:\d\d:\d\d (UTC|GMT[+-]\d\d:\d\d) 2026$/);
  });

  test("have IDs derived from a seed", async () => {
    const idsOf = async (seed: string, uuid: string) => {
      const host = testHost({ random: { uuid: () => uuid } });
      const { facts } = await readFacts(host, testRequest(), seed);
      return [facts.appId, facts.uniqueIds, facts.localDirUuid];
    };
    const first = await idsOf("s", "00000000-0000-4000-8000-000000000001");
    expect(await idsOf("s", "00000000-0000-4000-8000-000000000002")).toEqual(first);
    expect(await idsOf("t", "00000000-0000-4000-8000-000000000001")).not.toEqual(first);
  });

  test("contain the local dependencies in order, with an ID each", async () => {
    const settings = { "spark.files": "file:/me/a.txt,file:/me,file:/me/no.txt,local:///b" };
    const { dependencies } = await read({ files: { "/me/a.txt": "abc" } }, settings);
    expect(dependencies.map(({ sizeBytes }) => sizeBytes)).toEqual([3, 0, undefined]);
    expect(new Set(dependencies.map(({ uuid }) => uuid)).size).toBe(3);
  });

  test("contain the user as Hadoop determines it", async () => {
    expect((await read({})).userName).toBe("tester");
    expect((await read({ env: { HADOOP_USER_NAME: "etl" } })).userName).toBe("etl");
  });
});

describe("the configuration directory", () => {
  const files = {
    "/conf/log4j2.properties": "a=b\n",
    "/conf/spark-defaults.conf": "spark.x y\n",
    "/conf/sub/deep.xml": "<a/>",
    "/conf/bin.dat": new Uint8Array([0xff, 0xfe, 0x00]),
    "/spark/conf/metrics.properties": "m\n",
  };

  test("is SPARK_CONF_DIR; only files to ship are read", async () => {
    const { confDirectory } = await read({ env: { SPARK_CONF_DIR: "/conf", SPARK_HOME: "/spark" }, files });
    expect(confDirectory).toEqual({
      path: "/conf",
      files: [
        { name: "bin.dat", sizeBytes: 3, text: undefined },
        { name: "log4j2.properties", sizeBytes: 4, text: "a=b\n" },
      ],
    });
  });

  test.each([
    [{ SPARK_CONF_DIR: "", SPARK_HOME: "/spark" }, {}],
    [{}, { "spark.home": "/spark" }],
  ])("is that of the Spark in %j and %j by default", async (env, settings) => {
    expect((await read({ env, files }, settings)).confDirectory?.path).toBe("/spark/conf");
  });

  test("can be missing", async () => {
    expect((await read({ env: { SPARK_CONF_DIR: "/nope" } })).confDirectory).toBeUndefined();
  });
});

describe("pod templates", () => {
  test.each([
    ["/t/pod.yml", "spec:\n  a: &a {mode: 0644, on: yes}\n  b: {<<: *a, n: 1, v: 1.0}\n"],
    ["file:/t/pod%20x.yml", "spec: {a: {mode: '0644', on: 'yes'}, b: {mode: '0644', on: 'yes', n: 1, v: '1.0'}}"],
    [
      "local:///t/pod.json",
      '\n{"spec":{"a":{"mode":"0644","on":"yes"},"b":{"mode":"0644","on":"yes","n":1,"v":"1.0"}}}',
    ],
  ])("are read from %s", async (uri, text) => {
    const files = { "/t/pod.yml": text, "/t/pod x.yml": text, "/t/pod.json": text };
    expect((await read({ files }, { [driverTemplate]: uri })).driverTemplate).toEqual({
      spec: { a: { mode: "0644", on: "yes" }, b: { mode: "0644", on: "yes", n: 1, v: "1.0" } },
    });
  });

  test("with a space in the name are rejected, with exactly Spark's behavior", async () => {
    const files = { "/t/a b.yml": "spec: {}\n" };
    const settings = { [driverTemplate]: "/t/a b.yml" };
    const lenient = await readFacts(testHost({ files }), testRequest({ settings }));
    expect(lenient.issues).toEqual([]);
    const behaviors = { templatePaths: "spark" } as const;
    const asSpark = await readFacts(testHost({ files }), testRequest({ settings, behaviors }));
    expect(asSpark.issues).toMatchObject([{ code: "SUBMIT_ERR_TEMPLATE_UNUSABLE" }]);
  });

  test("keep `<<`, with exactly Spark's behavior", async () => {
    const files = { "/t.yml": "a: &a {n: 1}\nb: {<<: *a}\n" };
    const request = testRequest({
      settings: { [driverTemplate]: "/t.yml" },
      behaviors: { templateMergeKeys: "spark" },
    });
    const { facts } = await readFacts(testHost({ files }), request);
    expect(facts.driverTemplate).toEqual({ a: { n: 1 }, b: { "<<": { n: 1 } } });
  });

  test.each([
    ["a: 1\n---\n", { a: 1 }],
    ["# first\n---\n---\na: 1\n...\n", { a: 1 }],
    [
      "a: ~\nb: True\nc:\nd: null\ne: 1e3\nf: -.inf\ng: 123456789012345678901\n",
      { a: "~", b: "True", c: null, d: null, e: "1000.0", f: "-Infinity", g: "123456789012345678901" },
    ],
    ["---\n", null],
  ])("have the scalars of JSON and one document that is not empty: %j", async (text, expected) => {
    expect((await read({ files: { "/t.yml": text } }, { [driverTemplate]: "/t.yml" })).driverTemplate).toEqual(
      expected,
    );
  });

  test("with several documents are rejected", async () => {
    const refused = await issues({ files: { "/t.yml": "a: 1\n---\nb: 2\n" } }, { [driverTemplate]: "/t.yml" });
    expect(refused).toMatchObject([{ code: "SUBMIT_ERR_TEMPLATE_UNUSABLE" }]);
  });

  test("of executors remain text", async () => {
    const facts = await read({ files: { "/home/tester/job/e.yml": "spec: [" } }, { [executorTemplate]: "e.yml" });
    expect(facts.executorTemplateText).toBe("spec: [");
  });

  test("of executors must be UTF-8 since Spark 4.1, and are decoded leniently before", async () => {
    const files = { "/e.yml": Uint8Array.of(0xff, 0x61) };
    const settings = { [executorTemplate]: "/e.yml" };
    expect(await issues({ files }, settings)).toMatchObject([{ code: "SUBMIT_ERR_NOT_UTF8" }]);
    const older = await readFacts(testHost({ files }), testRequest({ settings, line: "4.0" }));
    expect(older.facts.executorTemplateText).toBe("\ufffda");
  });

  test("of executors are not read if their step is excluded", async () => {
    const excluded = "spark.kubernetes.driver.pod.excludedFeatureSteps";
    const step = "org.apache.spark.deploy.k8s.features.PodTemplateConfigMapStep";
    const facts = await read({}, { [executorTemplate]: "/nope.yml", [excluded]: step });
    expect(facts.executorTemplateText).toBeUndefined();
  });

  test.each(["spec: {containers: [", "a: 1\n---\nb: 2\n", "", "{"])("cannot be %j", async (text) => {
    expect(await issues({ files: { "/pod.yml": text } }, { [driverTemplate]: "/pod.yml" })).toMatchObject([
      { code: "SUBMIT_ERR_TEMPLATE_UNUSABLE" },
    ]);
  });
});

test("a missing executors' template is reported with its path", async () => {
  expect(await issues({}, { [executorTemplate]: "/none.yml" })).toMatchObject([
    {
      code: "SUBMIT_ERR_TEMPLATE_UNREADABLE",
      message: `Cannot read the file of ${executorTemplate}: /none.yml (No such file or directory)`,
    },
  ]);
});

test("an empty template path means the working directory", async () => {
  expect(await issues({ files: { "/work/x": "" }, cwd: "/work" }, { [executorTemplate]: "" })).toMatchObject([
    { code: "SUBMIT_ERR_TEMPLATE_UNREADABLE", message: expect.stringContaining("(Is a directory)") },
  ]);
});

test("everything that cannot be read is reported together", async () => {
  const settings = {
    [driverTemplate]: "/none.yml",
    [executorTemplate]: "s3a://h/e.yml",
    [`${authenticate}.clientKeyFile`]: "file:///key.pem",
    [`${authenticate}.caCertFile`]: "/dir",
  };
  expect(await issues({ files: { "/dir/ca.pem": "CA" } }, settings)).toMatchObject([
    { code: "SUBMIT_ERR_TEMPLATE_UNUSABLE", message: "Could not load pod from template file." },
    {
      code: "SUBMIT_ERR_CREDENTIAL_FILE",
      message: "requirement failed: Driver CA cert file provided at /dir does not exist or is not a file.",
    },
    {
      code: "SUBMIT_ERR_CREDENTIAL_FILE",
      message:
        "requirement failed: Driver client key file provided at /home/tester/job/file:/key.pem does not exist or is not a file.",
    },
    { code: "SUBMIT_ERR_TEMPLATE_SCHEME" },
  ]);
});

test("an unreadable file of the configuration directory is reported", async () => {
  const host = testHost({ env: { SPARK_CONF_DIR: "/conf" }, files: { "/conf/secret.xml": "<a/>" } });
  const readBytes = () => {
    throw new Error("EACCES: permission denied");
  };
  const { issues: found } = await readFacts({ ...host, files: { ...host.files, readBytes } }, testRequest());
  expect(found).toMatchObject([
    {
      code: "SUBMIT_ERR_CONF_FILE",
      message: "Cannot read the file /conf/secret.xml of the configuration directory: EACCES: permission denied.",
    },
  ]);
});

test("credentials are read as bytes", async () => {
  const settings = { [`${authenticate}.caCertFile`]: "/ca.pem" };
  const { credentialFiles } = await read({ files: { "/ca.pem": "CA\n" } }, settings);
  expect(credentialFiles).toEqual({ [`${authenticate}.caCertFile`]: "Q0EK" });
});
