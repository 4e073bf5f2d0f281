import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { TestRequest, TestResponse } from "../../hadoop/test-web.ts";
import { sparkLog } from "../../host/log.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import { resolveSubmission } from "../../resolve/resolve-submission.ts";
import { printHadoopXml } from "../../values/hadoop-xml.ts";
import { memberOf, type TestYarnOptions, testYarn, testYarnSite } from "./test-yarn.ts";
import { submitToYarn } from "./yarn-master.ts";

const spark = {
  "/spark/bin/spark-submit": "",
  "/spark/RELEASE": "Spark 4.3.0 built for Hadoop 3.5.0\n",
  "/spark/jars/spark-core_2.13-4.3.0.jar": "core",
  "/spark/jars/other.jar": "other",
  "/spark/python/lib/pyspark.zip": "py",
  "/spark/python/lib/py4j-0.10.9.9-src.zip": "py4j",
  "/spark/conf/log4j2.properties": "log",
};

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly site?: Readonly<Record<string, string>>;
  readonly yarn?: TestYarnOptions;
  readonly verbose?: boolean;
}

function start(
  args: readonly string[],
  { env = {}, files = {}, site = {}, yarn: options = {}, verbose = false }: Run = {},
) {
  const host = testHost({
    env: { HADOOP_CONF_DIR: "/etc/hadoop", SPARK_HOME: "/spark", FIRESTEEL_SPARK_VERSION: "4.3.0", ...env },
    user: { name: "ann" },
    files: {
      "/etc/hadoop/core-site.xml": printHadoopXml(Object.entries({ ...testYarnSite, ...site })),
      "/job/app.jar": "jar",
      ...spark,
      ...files,
    },
    cwd: "/job",
  });
  const yarn = testYarn(options);
  return { host, yarn, ended: host.clock.settle(run(host, { args, verbose }, yarn)) };
}

async function run(
  host: TestHost,
  { args, verbose }: { readonly args: readonly string[]; readonly verbose: boolean },
  { connections }: ReturnType<typeof testYarn>,
) {
  const parsed = invocationOf(["--master", "yarn", "--deploy-mode", "cluster", ...args]);
  const invocation = { ...parsed, verbose };
  return submitToYarn(resolveSubmission({ host, log: sparkLog(host), invocation }), connections);
}

const fieldsOfOptions: Readonly<Record<string, FieldName>> = {
  ...{ "--master": "master", "--deploy-mode": "deployMode", "--class": "mainClass", "--jars": "jars" },
  ...{ "--files": "files", "--archives": "archives", "--py-files": "pyFiles", "--packages": "packages" },
  ...{ "--driver-memory": "driverMemory", "--executor-memory": "executorMemory", "--principal": "principal" },
};

function invocationOf(args: readonly string[]): SubmitInvocation {
  const fields: Partial<Record<FieldName, string>> = {};
  const settings: SubmitInvocation["settings"][number][] = [];
  let at = 0;
  for (; args[at]?.startsWith("--") === true; at += 2) {
    const [option = "", value = ""] = args.slice(at, at + 2);
    const [key = "", text = ""] = value.split("=", 2);
    if (option === "--conf") settings.push({ key, value: text, origin: { kind: "conf" } });
    else fields[fieldsOfOptions[option] ?? "name"] = value;
  }
  return {
    ...{
      action: "submit",
      resource: args[at] ?? "",
      appArgs: args.slice(at + 1),
      isExample: false,
      forwardedOptions: [],
    },
    ...{ fields, settings, propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false },
    ...{ supervise: false, verbose: false },
  };
}

const succeeded = { state: "FINISHED", finalStatus: "SUCCEEDED" };
const local = ["--conf", "spark.yarn.jars=local:/opt/spark/jars/*"];
const plain = [...local, "--class", "Main", "app.jar"];
const shown = (host: TestHost) => host.errorText().replaceAll(/^\d\d\S+ \S+ /gm, "");

test("--verbose shows the client that Apache's front end would start", async () => {
  const files = { "/job/a.jar": "", "/job/app.py": "" };
  const started = async (args: readonly string[]) => {
    const { host, ended } = start(args, { files, verbose: true, yarn: { reports: [succeeded] } });
    await ended;
    const text = host.errorText();
    return text.slice(text.indexOf("Main class:")).replace(/Spark config:[\s\S]*(?=Classpath)/, "");
  };
  expect(await started(["--jars", "a.jar", ...plain, "1", "two words"])).toMatch(
    [
      ...["Main class:", "org.apache.spark.deploy.yarn.YarnClusterApplication", "Arguments:", "--jar"],
      ...["file:/job/app.jar", "--class", "Main", "--arg", "1", "--arg", "two words"],
      ...["Classpath elements:", "file:/job/app.jar", "file:///job/a.jar", "\n\n"],
    ].join("\n"),
  );
  const { host, ended } = start([...local, "app.py"], { files, verbose: true });
  await ended;
  expect(host.errorText()).toContain("\n(spark.yarn.isPython,true)\n");
  expect(await started([...local, "app.py"])).toMatch(
    /Arguments:\n--primary-py-file\nfile:\/job\/app\.py\n--class\norg\.apache\.spark\.deploy\.PythonRunner\nClasspath elements:\n\n/,
  );
});

describe("a submission to YARN", () => {
  test("logs its progress in Spark's format, and ends with the application", async () => {
    const { host, yarn, ended } = start([...plain, "a b", "`c`"]);
    expect(await ended).toBe(0);
    expect(shown(host)).toContain(`INFO Client: Application ID is assigned: application_1_0001
INFO Client: Verifying our application has not requested more than the maximum memory capability of the cluster (4096 MB per container)
INFO Client: Will allocate AM container, with 1408 MB memory including 384 MB overhead
INFO Client: Setting up container launch context for our AM
INFO Client: Setting up the launch environment for our AM container
INFO Client: Preparing resources for our AM container
INFO Client: Uploading resource file:/job/app.jar -> hdfs://nn:8020/user/ann/.sparkStaging/application_1_0001/app.jar
INFO Client: Uploading resource __spark_conf__.zip -> hdfs://nn:8020/user/ann/.sparkStaging/application_1_0001/__spark_conf__.zip
INFO Client: Submitting application application_1_0001 to ResourceManager
INFO YarnClientImpl: Submitted application application_1_0001
`);
    expect(shown(host)).toContain("INFO Client: Application report for application_1_0001 (state: FINISHED)\n");
    expect(shown(host)).toContain("INFO Client: Deleted staging directory");
    const [body] = yarn.submitted;
    expect(body).toMatchObject({
      "application-id": "application_1_0001",
      "application-name": "Main",
      "application-type": "SPARK",
      queue: "default",
      resource: { memory: 1408, vCores: 1 },
    });
    const resources = (link: string) => memberOf(body, "am-container-spec", "local-resources", link);
    const directory = "hdfs://nn:8020/user/ann/.sparkStaging/application_1_0001";
    expect(resources("__app__.jar")).toEqual({
      ...{ resource: `${directory}/app.jar`, type: "FILE", visibility: "PRIVATE", size: 3, timestamp: 7 },
    });
    expect(resources("__spark_conf__")).toMatchObject({ type: "ARCHIVE", visibility: "PRIVATE" });
    const command = memberOf(body, "am-container-spec", "commands", "command");
    expect(command).toContain(
      "org.apache.spark.deploy.yarn.ApplicationMaster --class 'Main' --jar file:/job/app.jar --arg 'a b' --arg '\\`c\\`' --properties-file {{PWD}}/__spark_conf__/__spark_conf__.properties",
    );
    expect(yarn.files).toEqual(new Map());
  });

  test("reports the failure of an application, with the driver's exit code if available", async () => {
    const failed = { state: "FINISHED", finalStatus: "FAILED" };
    const specified = { ...failed, diagnostics: "User application exited with status 7" };
    expect(await start(plain, { yarn: { reports: [specified] } }).ended).toBe(7);
    const strict = start(plain, {
      yarn: { reports: [{ state: "RUNNING" }, specified] },
      env: { FIRESTEEL_STRICT: "1" },
    });
    await expect(strict.ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_APP_ENDED",
      message: "Application application_1_0001 finished with failed status",
    });
    expect(shown(strict.host)).toContain(
      "ERROR Client: Application diagnostics message: User application exited with status 7\n",
    );
    await expect(start(plain, { yarn: { reports: [{ state: "RUNNING" }, failed] } }).ended).rejects.toThrow(
      "finished with failed status",
    );
    const killed = { state: "KILLED", finalStatus: "KILLED" };
    await expect(start(plain, { yarn: { reports: [{ state: "RUNNING" }, killed] } }).ended).rejects.toThrow(
      "Application application_1_0001 is killed",
    );
  });

  test("does not wait if waiting is disabled", async () => {
    const args = ["--conf", "spark.yarn.submit.waitAppCompletion=false", ...plain];
    const { host, ended, yarn } = start(args);
    expect(await ended).toBe(0);
    expect(shown(host)).toContain("(state: ACCEPTED)\nINFO Client: \n\t client token: N/A\n\t diagnostics: N/A\n");
    expect([...yarn.files.keys()]).toHaveLength(2);
    // YARN rejects it after the submission's response.
    const late = { state: "FAILED", diagnostics: "unknown queue: nowhere" };
    await expect(start(args, { yarn: { reports: [late] } }).ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_SUBMIT",
      message: "Failed to submit application_1_0001 to YARN : unknown queue: nowhere",
    });
    const ending = { state: "FINISHED", finalStatus: "FAILED" };
    expect(await start(args, { yarn: { reports: [ending] } }).ended).toBe(0);
  });

  test("cleans up when the cluster rejects it", async () => {
    const { yarn, ended, host } = start(plain, {
      yarn: {
        instead: ({ method, url }) =>
          method === "POST" && url.pathname === "/ws/v1/cluster/apps"
            ? {
                status: 400,
                json: { RemoteException: { exception: "BadRequest", message: "no such queue" } },
              }
            : undefined,
      },
    });
    await expect(ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_SUBMIT" });
    expect(yarn.files).toEqual(new Map());
    expect(shown(host)).toContain("Deleted staging directory");
  });

  test("cleans up after a rejection of any of its calls", async () => {
    const completeRun = start(plain);
    await completeRun.ended;
    const errorBody = { RemoteException: { exception: "AccessControlException", message: "no" } };
    const isRemoval = (line: string) => line.startsWith("DELETE ");
    for (let number = 0; number < completeRun.yarn.requests.length; number += 1) {
      let left = number;
      const instead = ({ line }: TestRequest) => {
        left -= 1;
        return left === -1 && !isRemoval(line) ? { status: 403, json: errorBody } : undefined;
      };
      const { yarn, ended } = start(plain, { yarn: { instead } });
      const refused = yarn.requests;
      const end = await ended.catch((error: unknown) => (isSubmitError(error) ? error.code : error));
      const { line } = refused[number] ?? { line: "" };
      // Status requests are retried.
      if (isRemoval(line) || line.startsWith("GET http://rm:8088/ws/v1/cluster/apps/")) continue;
      expect([end, line]).toEqual([expect.stringMatching(/^SUBMIT_ERR_(HADOOP_REJECTED|YARN_SUBMIT)$/), line]);
      expect([[...yarn.files.keys()], line]).toEqual([[], line]);
      expect(yarn.killed).toEqual(yarn.submitted.map(() => "application_1_0001"));
    }
  });

  test("tolerates an incomplete response to any of its calls", async () => {
    const completeRun = start(plain);
    await completeRun.ended;
    for (const { line } of completeRun.yarn.requests.filter(({ url }) => url.hostname !== "dn")) {
      let isCut = false;
      const instead = (request: TestRequest) => {
        if (isCut || request.line !== line) return undefined;
        isCut = true;
        return { text: '{"app":', isCut } as const;
      };
      const { yarn, ended } = start(plain, { yarn: { instead } });
      expect([await ended, [...yarn.files.keys()], yarn.open(), line]).toEqual([0, [], 0, line]);
    }
  });

  test("detects a file that was not stored completely", async () => {
    const lost = start(plain, { yarn: { instead: ({ url }) => (url.hostname === "dn" ? {} : undefined) } });
    await expect(lost.ended).rejects.toThrow("no file: it accepted 3 bytes but did not store them");
    const short = { FileStatus: { type: "FILE", length: 2, modificationTime: 7, permission: "644" } };
    const half = start(plain, {
      yarn: {
        instead: ({ url }) => (url.searchParams.get("op") === "GETFILESTATUS" ? { json: short } : undefined),
      },
    });
    await expect(half.ended).rejects.toThrow("2 bytes: it accepted 3 bytes but did not store them");
    expect(half.yarn.submitted).toEqual([]);
  });

  test("writes to another DataNode when one is busy", async () => {
    const targets: (string | null)[] = [];
    const { ended } = start(plain, {
      yarn: {
        instead: ({ url }) => {
          if (url.searchParams.get("op") === "CREATE") targets.push(url.searchParams.get("excludedatanodes"));
          return url.hostname === "dn" && targets.length === 1 ? { status: 503 } : undefined;
        },
      },
    });
    expect(await ended).toBe(0);
    expect(targets.slice(0, 2)).toEqual([null, "dn:9864"]);
  });

  test("keeps Firesteel's settings from the driver, and rejects unknown ones", async () => {
    const steering = ["--conf", "spark.firesteel.killOnInterrupt=true"];
    const wait = ["--conf", "spark.yarn.submit.waitAppCompletion=false"];
    const { yarn, ended } = start([...steering, ...wait, ...plain]);
    await ended;
    const archive = [...yarn.files].find(([path]) => path.endsWith("__spark_conf__.zip"))?.[1];
    const text = Buffer.from(archive ?? []).toString("latin1");
    expect(text).toContain("spark.yarn.submit.waitAppCompletion=false");
    expect(text).not.toContain("spark.firesteel");
    const unknown = start(["--conf", "spark.firesteel.killOnInterupt=true", ...plain]);
    await expect(unknown.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_SETTING_UNKNOWN" });
  });

  test("rejects more memory than a container may have", async () => {
    const big = ["--driver-memory", "9g", "--executor-memory", "4g", ...plain];
    const { yarn, ended } = start(big);
    await expect(ended).rejects.toMatchObject({
      issues: [
        {
          code: "SUBMIT_ERR_YARN_EXECUTOR_MEMORY",
          message:
            "Required executor memory (4096 MB), offHeap memory (0) MB, overhead (409 MB), and PySpark memory (0 MB) is above the max threshold (4096 MB) of this cluster! Please check the values of 'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'.",
        },
        {
          code: "SUBMIT_ERR_YARN_DRIVER_MEMORY",
          message: expect.stringContaining("Required AM memory (9216+921 MB) is above the max threshold (4096 MB)"),
        },
      ],
    });
    expect(yarn.submitted).toEqual([]);
  });
});

describe("waiting for an application", () => {
  test("continues while no ResourceManager responds", async () => {
    let requestCount = 0;
    const { host, ended } = start(plain, {
      yarn: {
        reports: [{ state: "RUNNING" }, { state: "RUNNING" }, succeeded],
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 2 && requestCount < 40 ? "ECONNREFUSED" : undefined;
        },
      },
    });
    expect(await ended).toBe(0);
    expect(shown(host)).toContain("; retrying.");
  });

  const malformedResponses: Readonly<Record<string, TestResponse>> = {
    "fails itself": { status: 500, json: { RemoteException: { exception: "E", message: "NullPointer" } } },
    "refuses all while it starts": { status: 403, text: "<title>Error 403 Forbidden</title>" },
    "has a proxy before it that knows it not": { status: 404, text: "<title>Error 404</title>" },
    "has a proxy before it with a page": { text: "<html>Sign in</html>" },
    "is busy": { status: 429 },
    "says nothing": {},
    "responds without an application": { json: [] },
    "waits for an active one": { headers: { refresh: "3" }, text: "none is active" },
  };

  test.each(Object.entries(malformedResponses))("tolerates a ResourceManager that %s", async (_, malformed) => {
    let requestCount = 0;
    const { ended, yarn } = start(plain, {
      yarn: {
        reports: [{ state: "RUNNING" }, succeeded],
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 1 && requestCount < 5 ? malformed : undefined;
        },
      },
    });
    expect([await ended, requestCount, yarn.open()]).toEqual([0, 5, 0]);
  });

  const unknown = {
    status: 404,
    json: { RemoteException: { exception: "NotFoundException", message: "not found" } },
  };

  test.each([
    [20, 0],
    [1000, "SUBMIT_ERR_YARN_APP_ENDED"],
  ])("treats an application that is unknown for a minute as ended: %i times", async (times, end) => {
    let requestCount = 0;
    const { ended, yarn } = start(plain, {
      yarn: {
        reports: [{ state: "RUNNING" }, { state: "RUNNING" }, succeeded],
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 2 && requestCount < times ? unknown : undefined;
        },
      },
    });
    expect(await ended.catch((error: unknown) => (isSubmitError(error) ? error.code : error))).toBe(end);
    expect(yarn.files).toEqual(new Map());
  });

  test("submits again to a new active ResourceManager that does not know the application", async () => {
    let requestCount = 0;
    const { ended, yarn } = start(plain, {
      yarn: {
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount === 1 ? unknown : undefined;
        },
      },
    });
    expect(await ended).toBe(0);
    expect(yarn.submitted).toHaveLength(2);
    expect(yarn.submitted[1]).toEqual(yarn.submitted[0]);
  });

  test("ends after a permanent rejection, and keeps the files of an application that may run", async () => {
    const errorBody = { status: 403, json: { RemoteException: { exception: "E", message: "not you" } } };
    let requestCount = 0;
    const { ended, host, yarn } = start(plain, {
      yarn: {
        instead: ({ method, url }) => {
          if (method !== "GET" || url.hostname !== "rm") return undefined;
          requestCount += 1;
          return requestCount > 1 ? errorBody : undefined;
        },
      },
    });
    await expect(ended).rejects.toMatchObject({ code: "SUBMIT_ERR_HADOOP_REJECTED" });
    expect(shown(host)).toContain("Failed to contact YARN for application application_1_0001.");
    expect([yarn.killed, yarn.files.size]).toEqual([[], 2]);
  });

  test("ends at a time limit and kills the application", async () => {
    const limit = ["--conf", "spark.firesteel.startTimeout=10s"];
    const { yarn, ended, host } = start([...limit, ...plain], { yarn: { reports: [{ state: "ACCEPTED" }] } });
    expect(await ended).toBe(124);
    expect(yarn.killed).toEqual(["application_1_0001"]);
    expect(shown(host)).toContain("it exceeded spark.firesteel.startTimeout.");
    expect(await start([...limit, ...plain], { yarn: { reports: [{ state: "RUNNING" }, succeeded] } }).ended).toBe(0);
    const run = ["--conf", "spark.firesteel.runTimeout=10s"];
    expect(await start([...run, ...plain], { yarn: { reports: [{ state: "RUNNING" }] } }).ended).toBe(124);
  });
});

describe("an interruption", () => {
  async function interrupt(args: readonly string[]) {
    const { host, yarn, ended } = start(args, { yarn: { reports: [{ state: "RUNNING" }] } });
    const ending = ended.catch(() => {});
    while (!host.errorText().includes("(state: RUNNING)")) await host.advance(100);
    host.raise("SIGINT");
    await ending;
    return { code: await ended, yarn, text: shown(host) };
  }

  test("does not end the application, and reports how to kill it", async () => {
    const { code, yarn, text } = await interrupt(plain);
    expect(code).toBe(130);
    expect(yarn.killed).toEqual([]);
    expect(text).toContain("spark-submit --master yarn --kill application_1_0001");
  });

  test("kills the application if configured", async () => {
    const { code, yarn } = await interrupt(["--conf", "spark.firesteel.killOnInterrupt=true", ...plain]);
    expect([code, yarn.killed]).toEqual([130, ["application_1_0001"]]);
  });
});

describe("files for YARN", () => {
  const linksOf = (body: unknown) => {
    const pairs = memberOf(body, "am-container-spec", "local-resources");
    return JSON.stringify(pairs)
      .match(/"key":"[^"]*"/g)
      ?.map((pair) => pair.slice(7, -1));
  };

  test("get their names in containers, and Python finds its modules", async () => {
    const files = {
      "/job/app.py": "p",
      "/job/mod.py": "m",
      "/job/lib.zip": "l",
      "/job/data.txt": "d",
      "/job/a.zip": "a",
    };
    const lists = ["--py-files", "mod.py,lib.zip", "--files", "data.txt#table.txt", "--archives", "a.zip#env"];
    const { yarn, ended } = start([...local, ...lists, "--jars", "app.jar,app.jar", "app.py"], { files });
    expect(await ended).toBe(0);
    const [body] = yarn.submitted;
    expect(linksOf(body)).toEqual([
      ...["app.jar", "table.txt", "env", "app.py", "pyspark.zip", "py4j-0.10.9.9-src.zip"],
      ...["__pyfiles__/mod.py", "lib.zip", "__spark_conf__"],
    ]);
    expect(memberOf(body, "am-container-spec", "environment", "PYTHONPATH")).toBe(
      "{{PWD}}/__pyfiles__<CPS>{{PWD}}/pyspark.zip<CPS>{{PWD}}/py4j-0.10.9.9-src.zip<CPS>{{PWD}}/lib.zip",
    );
  });

  test("of an R application are its script and SparkR", async () => {
    const files = { "/job/app.R": "r", "/job/d.txt": "d", "/spark/R/lib/sparkr.zip": "zip" };
    const { yarn, ended } = start([...local, "--files", "d.txt", "app.R", "1"], { files });
    expect(await ended).toBe(0);
    const [body] = yarn.submitted;
    expect(linksOf(body)).toEqual(["d.txt", "app.R", "sparkr", "__spark_conf__"]);
    expect(memberOf(body, "am-container-spec", "local-resources", "sparkr")).toMatchObject({
      type: "ARCHIVE",
    });
    expect(memberOf(body, "am-container-spec", "commands", "command")).toContain(
      "--class 'org.apache.spark.deploy.RRunner' --primary-r-file app.R --arg 'app.R' --arg '1' --properties-file",
    );
    await expect(start([...local, "app.R"], { files: { "/job/app.R": "r" } }).ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_SPARKR",
      message: "sparkr.zip does not exist for R application in YARN mode.",
    });
    await expect(start([...local, "app.R"], { files, env: { SPARK_HOME: "/none" } }).ended).rejects.toMatchObject({
      message: "SPARK_HOME does not exist for R application in YARN mode.",
    });
  });

  test("include a local Spark if the cluster has none", async () => {
    const { yarn, ended, host } = start(["--class", "Main", "app.jar"]);
    expect(await ended).toBe(0);
    expect(shown(host)).toContain(
      "WARN Client: Neither spark.yarn.jars nor spark.yarn.archive is set, falling back to uploading libraries under SPARK_HOME.\n",
    );
    expect(linksOf(yarn.submitted[0])).toContain("__spark_libs__");
    const without = start(["--class", "Main", "app.jar"], { env: { SPARK_HOME: "/none" } });
    await expect(without.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_NO_SPARK" });
  });

  test("stay in the cluster's file system, and are public if all users can read them", async () => {
    const inCluster = {
      "/shared/spark/a.jar": "1",
      "/shared/spark/b.jar": "2",
      "/shared/app.jar": "3",
      "/mine/x.txt": "4",
    };
    const args = ["--conf", "spark.yarn.jars=hdfs:///shared/spark/*.jar", "--files", "hdfs://nn:8020/mine/x.txt"];
    const { yarn, ended } = start([...args, "--class", "Main", "hdfs:///shared/app.jar"], {
      yarn: { files: inCluster },
    });
    expect(await ended).toBe(0);
    const resource = (link: string) => memberOf(yarn.submitted[0], "am-container-spec", "local-resources", link);
    expect(resource("__spark_libs__/a.jar")).toMatchObject({
      ...{ resource: "hdfs://nn:8020/shared/spark/a.jar", visibility: "PUBLIC" },
    });
    expect(resource("__app__.jar")).toMatchObject({ resource: "hdfs://nn:8020/shared/app.jar" });
    expect(resource("x.txt")).toMatchObject({ resource: "hdfs://nn:8020/mine/x.txt", visibility: "PRIVATE" });
  });

  test("of packages are resolved after all other checks", async () => {
    const wrong = start([...local, "--packages", "nonsense", "--class", "M", "app.jar"]);
    await expect(wrong.ended).rejects.toThrow("nonsense");
    expect(wrong.yarn.requests).toEqual([]);
    const invalidArgs = ["--packages", "nonsense", "--conf", "spark.yarn.priority=x", "--class", "M", "app.jar"];
    await expect(start([...local, ...invalidArgs]).ended).rejects.toThrow("spark.yarn.priority");
    await expect(start([...local, ...invalidArgs]).ended).rejects.not.toThrow("nonsense");
  });

  test("that are missing or duplicate are all reported before any upload", async () => {
    const files = { "/job/a.txt": "a", "/job/b.txt": "b" };
    const twice = start([...local, "--files", "a.txt,a.txt#c,b.txt,b.txt", "--class", "M", "app.jar"], {
      files,
    });
    await expect(twice.ended).rejects.toMatchObject({
      issues: [
        {
          code: "SUBMIT_ERR_YARN_FILE_DUPLICATE",
          message: "Attempt to add (file:///job/a.txt#c) multiple times to the distributed cache.",
        },
        { message: "Attempt to add (file:///job/b.txt) multiple times to the distributed cache." },
      ],
    });
    expect(twice.yarn.requests).toEqual([]);
    const missing = start([...local, "--files", "none.txt", "--class", "M", "gone.jar"]);
    await expect(missing.ended).rejects.toMatchObject({
      issues: [
        { code: "SUBMIT_ERR_YARN_FILE_MISSING", message: "File file:/job/gone.jar does not exist" },
        { message: "File file:/job/none.txt does not exist" },
      ],
    });
    expect(missing.yarn.files).toEqual(new Map());
    const archive = start(["--conf", "spark.yarn.archive=local:/x.zip", "--class", "M", "app.jar"]);
    await expect(archive.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_ARCHIVE_LOCAL" });
  });
});

describe("an invalid submission", () => {
  test("is rejected with all reasons", async () => {
    const args = ["--principal", "ann", "--conf", "spark.yarn.am.tokenConfRegex=.*", "--conf", "spark.yarn.priority=x"];
    const { ended, yarn } = start([...args, "--packages", "g:a:1", ...plain], {
      site: { "hadoop.security.authentication": "kerberos" },
    });
    const error: unknown = await ended.catch((reason) => reason);
    expect(error).toMatchObject({ code: "SUBMIT_ERR_SETTING_TYPE" });
    expect(
      String(error)
        .match(/\S+ cannot be submitted to YARN/g)
        ?.sort(),
    ).toEqual([
      "hadoop.security.authentication=kerberos cannot be submitted to YARN",
      "spark.kerberos.principal cannot be submitted to YARN",
      "spark.yarn.am.tokenConfRegex cannot be submitted to YARN",
    ]);
    expect(error).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ code: "SUBMIT_ERR_YARN_NOT_EXPRESSED" })]),
    });
    expect(yarn.requests).toEqual([]);
  });

  test("is rejected without a ResourceManager or PySpark", async () => {
    const nowhere = start(plain, { site: { "yarn.resourcemanager.hostname": "" } });
    await expect(nowhere.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_NO_ADDRESS" });
    const args = [...local, "app.py"];
    await expect(start(args, { env: { SPARK_HOME: "/none" } }).ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_PYSPARK",
    });
    const specified = { SPARK_HOME: "/none", PYSPARK_ARCHIVES_PATH: "local:/opt/pyspark.zip" };
    const { ended, yarn } = start(args, { env: specified, files: { "/job/app.py": "p" } });
    expect(await ended).toBe(0);
    expect(memberOf(yarn.submitted[0], "am-container-spec", "environment", "PYTHONPATH")).toBe("/opt/pyspark.zip");
  });
});
