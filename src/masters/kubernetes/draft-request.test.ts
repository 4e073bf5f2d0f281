import { describe, expect, test } from "vitest";
import { draftProblems, draftRequest, type TestDraft } from "./test-draft.ts";

async function draftSettings(draft: TestDraft): Promise<Readonly<Record<string, string>>> {
  const { request } = await draftRequest(draft);
  return Object.fromEntries(request.conf.settings().map(({ key, value }) => [key, value]));
}

describe("settings of the driver", () => {
  test("include those that Spark's front end always adds", async () => {
    expect(await draftSettings({ conf: { "spark.driver.host": "h" } })).toEqual({
      "spark.app.name": "M",
      "spark.app.submitTime": String(Date.UTC(2026, 0, 2, 3, 4, 5)),
      "spark.jars": "local:///app.jar",
      "spark.master": "k8s://https://h:6443",
      "spark.submit.deployMode": "cluster",
      "spark.submit.pyFiles": "",
    });
  });

  test("come from options, else --conf, else files, else the environment", async () => {
    const settings = await draftSettings({
      fields: { executorMemory: "5g" },
      conf: { "spark.executor.memory": "4g", "spark.a": "conf" },
      more: { propertiesFile: "p", extraPropertiesFiles: ["x", "y"] },
      machine: {
        env: { SPARK_EXECUTOR_CORES: "7", SPARK_EXECUTOR_MEMORY: "1g", SPARK_CONF_DIR: "/conf" },
        files: {
          "/w/p": "spark.a 1\nspark.b 1\nspark.c 1",
          "/w/x": "spark.b 2\nspark.d 2",
          "/w/y": "spark.b 3",
          "/conf/spark-defaults.conf": "spark.z 1",
        },
      },
    });
    expect(settings).toMatchObject({
      "spark.executor.memory": "5g",
      "spark.executor.cores": "7",
      "spark.a": "conf",
      "spark.b": "3",
      "spark.c": "1",
      "spark.d": "2",
    });
    expect(settings).not.toHaveProperty("spark.z");
  });

  test("exclude fields that apply only to other masters", async () => {
    const settings = await draftSettings({
      fields: { queue: "q", totalExecutorCores: "9", numExecutors: "3", driverCores: "2" },
    });
    expect(settings).toMatchObject({ "spark.executor.instances": "3", "spark.driver.cores": "2" });
    expect(settings).not.toHaveProperty("spark.yarn.queue");
    expect(settings).not.toHaveProperty("spark.cores.max");
  });

  test("keep escaped line ends of a file, but no surrounding spaces", async () => {
    const file = "spark.a=\\nblah\\r\nspark.b=\\u0020 blah\\f  ";
    const more = { propertiesFile: "p" };
    const settings = await draftSettings({ more, machine: { files: { "/w/p": file } } });
    expect(settings).toMatchObject({ "spark.a": "\nblah\r", "spark.b": "blah" });
  });

  test("exclude keys without the prefix spark., with a warning", async () => {
    const { host, request } = await draftRequest({ conf: { sparky: "1", "foo.bar": "2" } });
    expect(host.errorText()).toBe(
      "Warning: Ignoring non-Spark config property: sparky\nWarning: Ignoring non-Spark config property: foo.bar\n",
    );
    expect(request.conf.text("sparky")).toBeUndefined();
  });

  test("contain paths as URIs", async () => {
    const settings = await draftSettings({
      resource: "app.py",
      conf: { "spark.files": "f.txt" },
      fields: { pyFiles: "/w/p.py", jars: "/w/a.jar" },
      machine: { files: { "/w/f.txt": "", "/w/p.py": "" } },
    });
    expect(settings).toMatchObject({
      "spark.files": "file:///w/f.txt",
      "spark.submit.pyFiles": "file:///w/p.py",
      "spark.jars": "file:/w/a.jar",
    });
  });
});

describe("an application", () => {
  test("has the language of the resource's extension, as specified", async () => {
    const python = await draftRequest({ resource: "app.py", fields: {} });
    expect(python.request.appResource).toEqual({ kind: "python", uri: "file:/w/app.py" });
    expect(python.request.mainClass).toBe("org.apache.spark.deploy.PythonRunner");
    const query = await draftRequest({ resource: "http://h/app.py?x" });
    expect(query.request.appResource.kind).toBe("java");
    const internal = await draftSettings({ resource: "spark-internal" });
    expect(internal).toMatchObject({ "spark.jars": "" });
  });

  test("is named after its class, else after its file", async () => {
    const more = { fields: { master: "k8s://h", deployMode: "cluster" } };
    expect(await draftSettings({ resource: "/a/b.py", more })).toMatchObject({ "spark.app.name": "b.py" });
  });

  test("must have a main class", async () => {
    const more = { fields: { master: "k8s://h", deployMode: "cluster" } };
    expect(await draftProblems({ more, conf: { "spark.files": "[x]" } })).toEqual([
      "SUBMIT_ERR_URI_SYNTAX: Illegal character in path at index 8: file:/w/[x]",
      "SUBMIT_ERR_MAIN_CLASS_UNREADABLE: Failed to get main class in JAR with error 'No FileSystem for scheme \"local\"'.  Please specify one with --class.",
    ]);
  });
});

test("a Spark example is taken from the image, with the image's version in the jar's name", async () => {
  const resolveExample = (image: string) =>
    draftRequest({
      resource: "spark-internal",
      conf: { "spark.kubernetes.container.image": image },
      more: { isExample: true },
    });
  const uriOf = async (image: string) => (await resolveExample(image)).request.appResource.uri;
  const directory = "local:///opt/spark/examples/jars";
  expect(await uriOf("spark:4.1.2")).toBe(`${directory}/spark-examples_2.13-4.1.2.jar`);
  expect(await uriOf("spark:3.5.9-java17")).toBe(`${directory}/spark-examples_2.12-3.5.9.jar`);
  const { conf } = (await resolveExample("spark:4.1.2")).request;
  expect(conf.settings().find(({ key }) => key === "spark.jars")?.value).toBe(await uriOf("spark:4.1.2"));
});

describe("the Spark version", () => {
  const versionOf = async (draft: TestDraft) => (await draftRequest(draft)).request.conf.version.text;

  test("comes from setting, else variable, image, this machine, or is the newest", async () => {
    const image = { "spark.kubernetes.container.image": "r:5000/spark:4.0.5-python3" };
    const machine = { env: { FIRESTEEL_SPARK_VERSION: "4.1" } };
    const input = { localSpark: () => "4.2.1" };
    const specified = { ...image, "spark.firesteel.sparkVersion": "3.5.9" };
    expect(await versionOf({ conf: specified, machine, input })).toBe("3.5.9");
    expect(await versionOf({ conf: image, machine, input })).toBe("4.1.4");
    expect(await versionOf({ conf: image, input })).toBe("4.0.5");
    expect(await versionOf({ conf: { "spark.kubernetes.container.image": "img:1" }, input })).toBe("4.2.1");
    expect(await versionOf({})).toBe("4.3.0");
  });

  test("must be supported", async () => {
    expect(await draftProblems({ conf: { "spark.firesteel.sparkVersion": "9.9" } })).toEqual([
      "SUBMIT_ERR_SPARK_VERSION: Unknown Spark version: 9.9",
    ]);
  });
});
