import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { type ResolveInput, resolve } from "./draft-request.ts";

const nothing = {
  propertiesFile: undefined,
  extraPropertiesFiles: [],
  loadsDefaults: false,
  supervise: false,
  verbose: false,
};

interface ResolveCase {
  readonly fields?: SubmitInvocation["fields"];
  readonly conf?: Readonly<Record<string, string>>;
  readonly resource?: string;
  readonly more?: Partial<SubmitInvocation>;
  readonly machine?: TestHostOptions;
  readonly input?: Partial<ResolveInput>;
}

async function resolved(
  resolveCase: ResolveCase,
): Promise<{ request: SubmitRequest; host: TestHost; warnings: string[] }> {
  const { fields = {}, conf = {}, resource = "local:///app.jar", more, machine, input } = resolveCase;
  const host = testHost({ cwd: "/w", ...machine });
  const warnings: string[] = [];
  const invocation: SubmitInvocation = {
    action: "submit",
    resource,
    appArgs: [],
    isExample: false,
    forwardedOptions: [],
    fields: { master: "k8s://https://h:6443", deployMode: "cluster", mainClass: "M", ...fields },
    settings: Object.entries(conf).map(([key, value]) => ({ key, value, origin: { kind: "conf" } })),
    ...nothing,
    ...more,
  };
  const log: ResolveInput["log"] = (_level, _logger, text) => warnings.push(text);
  return { request: await resolve({ host, invocation, log, ...input }), host, warnings };
}

async function settingsOf(resolveCase: ResolveCase): Promise<Readonly<Record<string, string>>> {
  const { request } = await resolved(resolveCase);
  return Object.fromEntries(request.conf.settings().map(({ key, value }) => [key, value]));
}

async function problemsOf(resolveCase: ResolveCase): Promise<readonly string[]> {
  const error: unknown = await resolved(resolveCase).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isSubmitError(error) ? error.issues.map(({ code, message }) => `${code}: ${message}`) : [String(error)];
}

describe("settings of the driver", () => {
  test("include those that Spark's front end always adds", async () => {
    expect(await settingsOf({ conf: { "spark.driver.host": "h" } })).toEqual({
      "spark.app.name": "M",
      "spark.app.submitTime": String(Date.UTC(2026, 0, 2, 3, 4, 5)),
      "spark.jars": "local:///app.jar",
      "spark.master": "k8s://https://h:6443",
      "spark.submit.deployMode": "cluster",
      "spark.submit.pyFiles": "",
    });
  });

  test("come from options, else --conf, else files, else the environment", async () => {
    const settings = await settingsOf({
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
    const settings = await settingsOf({
      fields: { queue: "q", totalExecutorCores: "9", numExecutors: "3", driverCores: "2" },
    });
    expect(settings).toMatchObject({ "spark.executor.instances": "3", "spark.driver.cores": "2" });
    expect(settings).not.toHaveProperty("spark.yarn.queue");
    expect(settings).not.toHaveProperty("spark.cores.max");
  });

  test("keep escaped line ends of a file, but no surrounding spaces", async () => {
    const file = "spark.a=\\nblah\\r\nspark.b=\\u0020 blah\\f  ";
    const more = { propertiesFile: "p" };
    const settings = await settingsOf({ more, machine: { files: { "/w/p": file } } });
    expect(settings).toMatchObject({ "spark.a": "\nblah\r", "spark.b": "blah" });
  });

  test("exclude keys without the prefix spark., with a warning", async () => {
    const { host, request } = await resolved({ conf: { sparky: "1", "foo.bar": "2" } });
    expect(host.errorText()).toBe(
      "Warning: Ignoring non-Spark config property: sparky\nWarning: Ignoring non-Spark config property: foo.bar\n",
    );
    expect(request.conf.text("sparky")).toBeUndefined();
  });

  test("contain paths as URIs", async () => {
    const settings = await settingsOf({
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
    const python = await resolved({ resource: "app.py", fields: {} });
    expect(python.request.appResource).toEqual({ kind: "python", uri: "file:/w/app.py" });
    expect(python.request.mainClass).toBe("org.apache.spark.deploy.PythonRunner");
    const query = await resolved({ resource: "http://h/app.py?x" });
    expect(query.request.appResource.kind).toBe("java");
    const internal = await settingsOf({ resource: "spark-internal" });
    expect(internal).toMatchObject({ "spark.jars": "" });
  });

  test("is named after its class, else after its file", async () => {
    const more = { fields: { master: "k8s://h", deployMode: "cluster" } };
    expect(await settingsOf({ resource: "/a/b.py", more })).toMatchObject({ "spark.app.name": "b.py" });
  });

  test("must have a main class", async () => {
    const more = { fields: { master: "k8s://h", deployMode: "cluster" } };
    expect(await problemsOf({ more, conf: { "spark.files": "[x]" } })).toEqual([
      "SUBMIT_ERR_URI_SYNTAX: Illegal character in path at index 8: file:/w/[x]",
      "SUBMIT_ERR_MAIN_CLASS_UNREADABLE: Failed to get main class in JAR with error 'No FileSystem for scheme \"local\"'.  Please specify one with --class.",
    ]);
  });
});

describe("problems", () => {
  test("of values are reported together, in Spark's order", async () => {
    expect(
      await problemsOf({
        fields: { executorMemory: "1.5g", driverCores: "0", executorCores: "x", numExecutors: "-1" },
        conf: { "spark.driver.memory": "12x", "spark.driver.extraJavaOptions": "-Da='x" },
        more: { propertiesFile: "nope" },
      }),
    ).toEqual([
      "SUBMIT_ERR_PROPERTIES_FILE: Invalid properties file 'nope'.",
      "SUBMIT_ERR_OPTION_STRING: Invalid option string: -Da='x",
      "SUBMIT_ERR_NOT_POSITIVE: Driver memory must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Executor memory must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Driver cores must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Executor cores must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Number of executors must be a positive number",
    ]);
  });

  test.each([
    [{ conf: { "spark.executor.instances": "0", "spark.dynamicAllocation.enabled": "TRUE" } }, undefined],
    [
      { fields: { remote: "sc://h" } },
      "SUBMIT_ERR_REMOTE_WITH_MASTER: Remote cannot be specified with master and/or deploy mode.",
    ],
    [
      { fields: { proxyUser: "u", principal: "p" } },
      "SUBMIT_ERR_PROXY_AND_PRINCIPAL: Only one of --proxy-user or --principal can be provided.",
    ],
    [{ fields: { proxyUser: "" } }, "SUBMIT_ERR_PROXY_USER_EMPTY: Null user"],
    [
      { fields: { principal: "p", keytab: "no" } },
      "SUBMIT_ERR_KEYTAB_MISSING: requirement failed: Keytab file: no does not exist",
    ],
    [
      { more: { fields: {} }, conf: { "spark.submit.deployMode": "foo" } },
      "SUBMIT_ERR_DEPLOY_MODE: Deploy mode must be either client or cluster",
    ],
    [
      { more: { propertiesFile: "p" }, machine: { files: { "/w/p": "spark.a=\\u00zz" } } },
      "SUBMIT_ERR_PROPERTIES_ESCAPE: Malformed \\uxxxx encoding.",
    ],
    [
      { fields: { master: "foo" } },
      "SUBMIT_ERR_MASTER_UNKNOWN: Master must either be yarn or start with spark, k8s, or local",
    ],
    [
      { fields: { master: "k8s:h" } },
      "SUBMIT_ERR_MASTER_UNKNOWN: Master must either be yarn or start with spark, k8s, or local",
    ],
    [
      { fields: { master: "k8s://ftp://h" } },
      "SUBMIT_ERR_MASTER_SCHEME: Invalid Kubernetes master scheme: ftp found in URL: ftp://h",
    ],
    [
      { fields: { master: "local" } },
      'SUBMIT_ERR_CLUSTER_MODE: Cluster deploy mode is not compatible with master "local"',
    ],
    [{ fields: { master: "sparkx" } }, "SUBMIT_ERR_CLASS_NOT_LOADED: Failed to load class ."],
    [{ resource: "spark-shell" }, "SUBMIT_ERR_CLUSTER_MODE: Cluster deploy mode is not applicable to Spark shells."],
    [
      { fields: { master: "yarn" } },
      "SUBMIT_ERR_HADOOP_CONF_DIR: When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.",
    ],
    [
      { fields: { master: "spark://h:1" }, resource: "a.R" },
      "SUBMIT_ERR_CLUSTER_MODE: Cluster deploy mode is currently not supported for R applications on standalone clusters.",
    ],
    [
      { conf: { "spark.driver.defaultJavaOptions": "-Xmx1g" } },
      "SUBMIT_ERR_HEAP_OPTION: Not allowed to specify max heap(Xmx) memory settings through java options (was -Xmx1g). Use the corresponding --driver-memory or spark.driver.memory configuration instead.",
    ],
  ])("%j", async (resolveCase, message) => {
    expect((await problemsOf(resolveCase))[0]).toBe(message ?? "undefined");
  });

  test("depend on the Spark line's grammar", async () => {
    const old = { "spark.firesteel.sparkVersion": "3.5" };
    expect(await problemsOf({ fields: { master: "k8s:h" }, conf: old })).toEqual([
      "SUBMIT_ERR_MASTER_PREFIX: requirement failed: Kubernetes master URL must start with k8s://.",
    ]);
    expect(await problemsOf({ fields: { executorMemory: "2GiB" }, conf: old })).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE: Executor memory must be a positive number",
    ]);
    expect(await problemsOf({ fields: { executorMemory: "2GiB" } })).toEqual(["undefined"]);
  });

  test("other masters and client mode are rejected as not served", async () => {
    for (const fields of [
      { deployMode: "client" },
      { master: "local[2]", deployMode: "client" },
      { master: "spark://h:1" },
    ]) {
      expect((await problemsOf({ fields }))[0]).toMatch(
        /^SUBMIT_ERR_MASTER_NOT_SERVED: .* without a JVM, only Kubernetes in cluster mode is/,
      );
    }
  });
});

test("a Spark example is taken from the image, with the image's version in the jar's name", async () => {
  const resolveExample = (image: string) =>
    resolved({
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
  const versionOf = async (resolveCase: ResolveCase) => (await resolved(resolveCase)).request.conf.version.text;

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
    expect(await problemsOf({ conf: { "spark.firesteel.sparkVersion": "9.9" } })).toEqual([
      "SUBMIT_ERR_SPARK_VERSION: Unknown Spark version: 9.9",
    ]);
  });
});

describe("the embedded cluster", () => {
  const openEmbedded: NonNullable<ResolveInput["openEmbedded"]> = async ({ sparkVersion }) => ({
    url: "https://127.90.0.1:4000",
    certificateAuthority: "PEM",
    token: "t",
    driverMaster: "https://127.90.0.1:4000",
    defaults: { image: `spark:${sparkVersion ?? "4.2.1"}`, serviceAccountName: "spark", uploadPath: "/up" },
  });
  const fields = { master: "k8s://embedded" };

  test("is opened for its master, and provides defaults", async () => {
    const { request } = await resolved({ fields, input: { openEmbedded } });
    expect(request.apiServer).toBe("https://127.90.0.1:4000");
    expect(request.access).toMatchObject({ token: "t", driverMaster: "https://127.90.0.1:4000" });
    expect(request.conf.text("spark.master")).toBe("k8s://https://127.90.0.1:4000");
    expect(request.conf.text("spark.kubernetes.container.image")).toBe("spark:4.2.1");
    expect(request.conf.text("spark.kubernetes.file.upload.path")).toBe("/up");
    expect(request.conf.version.text).toBe("4.2.1");
  });

  test("gets the specified version, and keeps specified settings", async () => {
    const account = "spark.kubernetes.authenticate.driver.serviceAccountName";
    const conf = { "spark.firesteel.sparkVersion": "4.0", [account]: "mine" };
    const { request } = await resolved({ fields, conf, input: { openEmbedded } });
    expect(request.conf.text("spark.kubernetes.container.image")).toBe("spark:4.0");
    expect(request.conf.text(account)).toBe("mine");
  });

  test("is not opened for an invalid command line", async () => {
    const input = { openEmbedded: () => Promise.reject(new Error("opened")) };
    expect(await problemsOf({ fields: { ...fields, driverCores: "0" }, input })).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE: Driver cores must be a positive number",
    ]);
  });
});

test("--verbose prints files, arguments and the request without secrets", async () => {
  const { host } = await resolved({
    conf: { "spark.my.token": "abc", "spark.a": "1" },
    more: { verbose: true, propertiesFile: "p", appArgs: ["x", "y"] },
    fields: { proxyUser: "u" },
    machine: { files: { "/w/p": "spark.p mypassword" } },
  });
  const text = host.errorText();
  expect(text).toContain("Using properties file: p\nAdding default property: spark.p=*********(redacted)\n");
  expect(text).toContain("\n  deployMode              cluster\n");
  expect(text).toContain("\n  childArgs               [x y]\n");
  expect(text).toContain("\n  (spark.my.token,*********(redacted))\n");
  expect(text).toContain("\n--main-class\nM\n--arg\nx\n--arg\ny\n--proxy-user\nu\nSpark config:\n(spark.a,1)\n");
  expect(text).not.toContain("abc");
  expect(text).not.toContain("mypassword");
});

test("--verbose hides passwords in arguments and addresses, except with exactly Spark's behavior", async () => {
  const shown = async (env: Readonly<Record<string, string>>) => {
    const { host } = await resolved({
      conf: { "spark.my.url": "jdbc:mysql://u:hunter1@h/db" },
      fields: { jars: "https://u:hunter2@h/x.jar", driverExtraJavaOptions: "-Dpassword=hunter3" },
      more: { verbose: true, appArgs: ["--password=hunter4", "x"] },
      machine: { env },
    });
    return host.errorText();
  };
  const text = await shown({});
  expect(text).not.toContain("hunter");
  expect(text).toContain("https://u:*********(redacted)@h/x.jar");
  expect(text).toContain("\n  childArgs               [*********(redacted) x]\n");
  const strict = await shown({ FIRESTEEL_STRICT: "1" });
  for (const secret of ["hunter1", "hunter2", "hunter3", "hunter4"]) expect(strict).toContain(secret);
});
