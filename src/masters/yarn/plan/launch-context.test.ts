import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../../conf/behaviors.ts";
import { kerberosKeytab } from "../../../conf/entries/hadoop.ts";
import { defaultTextOf } from "../../../conf/entries/topics.ts";
import type { Setting } from "../../../conf/setting.ts";
import { SparkConf } from "../../../conf/spark-conf.ts";
import type { ApplicationRequest } from "../../../plan/submit-request.ts";
import type { HadoopCredentials } from "../../../values/delegation-token.ts";
import { hadoopConf } from "../../../values/hadoop-conf.ts";
import { planDistribution } from "./distributed-files.ts";
import { launchCommand, launchEnvironment, type YarnApplication } from "./launch-context.ts";
import { submissionBody } from "./submission-body.ts";

interface Scenario {
  readonly settings?: Readonly<Record<string, string>>;
  readonly request?: Partial<ApplicationRequest>;
  readonly env?: Readonly<Record<string, string>>;
  readonly pythonArchives?: readonly string[];
}

function application({ settings = {}, request = {}, env = {}, pythonArchives = [] }: Scenario): YarnApplication {
  const list = Object.entries(settings).map(([key, value]): Setting => ({ key, value, origin: { kind: "conf" } }));
  const conf = new SparkConf(list, { text: "4.3.0", line: "4.3" }, { env: {}, defaults: defaultTextOf });
  return {
    conf,
    request: {
      ...{ appResource: { kind: "java", uri: "file:/job/app.jar" }, mainClass: "Main", appArgs: [] },
      ...{ proxyUser: undefined, conf, behaviors: behaviorsOf({ FIRESTEEL_STRICT: "1" }), ...request },
    },
    facts: {
      ...{
        userName: "ann",
        runsAs: "ann",
        env,
        sparkJars: undefined,
        pythonArchives,
        sparkR: undefined,
        keytab: undefined,
        confFiles: [],
      },
      ...{ hadoopFiles: [], hadoop: hadoopConf(new Map(), { env: {}, system: {} }) },
    },
    appId: "application_1_0001",
    stagingDirectory: "hdfs://nn/user/ann/.sparkStaging/application_1_0001",
  };
}

const ofClass = (settings: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  launchEnvironment(application({ settings, env })).env.get("CLASSPATH")?.split("<CPS>");

describe("the environment of a driver, as recorded with Spark 4.3.0", () => {
  test("has the class path in Spark's order", () => {
    const settings = {
      "spark.driver.extraClassPath": "/cp/a.jar",
      "spark.yarn.jars": "local:/opt/spark/jars/*",
    };
    expect(ofClass(settings)).toEqual([
      ...["/cp/a.jar", "{{PWD}}", "{{PWD}}/__spark_conf__", "{{PWD}}/__spark_libs__/*", "/opt/spark/jars/*"],
      "{{PWD}}/__spark_conf__/__hadoop_conf__",
    ]);
    expect(ofClass({ ...settings, "spark.yarn.archive": "hdfs:///x.zip" })).not.toContain("/opt/spark/jars/*");
  });

  test("has Hadoop's class path if configured, and replaces gateway paths by node paths", () => {
    const path = ofClass(
      {
        "spark.yarn.populateHadoopClasspath": "true",
        "spark.driver.extraClassPath": "/gateway/x.jar",
        "spark.yarn.config.gatewayPath": "/gateway",
        "spark.yarn.config.replacementPath": "$HOME_OF_NODES",
      },
      { SPARK_DIST_CLASSPATH: "/gateway/dist/*" },
    );
    expect(path).toEqual(expect.arrayContaining(["$HOME_OF_NODES/x.jar", "$HOME_OF_NODES/dist/*", "$HADOOP_CONF_DIR"]));
    expect(path).toContain("$HADOOP_MAPRED_HOME/share/hadoop/mapreduce/lib/*");
  });

  test("has the path of Python, for executors too", () => {
    const { env, conf } = launchEnvironment(
      application({
        settings: {
          "spark.yarn.dist.pyFiles": "file:///job/mod.py,file:///job/lib.zip",
          "spark.yarn.appMasterEnv.PYTHONPATH": "/am",
          "spark.yarn.appMasterEnv.SPARK_USER": "bob",
        },
        env: { PYTHONPATH: "/my/path", PYSPARK_PYTHON: "python3" },
        pythonArchives: ["file:/spark/python/lib/pyspark.zip", "local:/opt/py4j.zip"],
      }),
    );
    const path = "/my/path<CPS>{{PWD}}/__pyfiles__<CPS>{{PWD}}/pyspark.zip<CPS>/opt/py4j.zip<CPS>{{PWD}}/lib.zip";
    expect(Object.fromEntries(env)).toMatchObject({
      ...{ PYTHONPATH: `/am<CPS>${path}`, SPARK_USER: "bob", PYSPARK_PYTHON: "python3", PYTHONHASHSEED: "0" },
      SPARK_YARN_STAGING_DIR: "hdfs://nn/user/ann/.sparkStaging/application_1_0001",
    });
    expect(conf.text("spark.executorEnv.PYTHONPATH")).toBe(path);
  });
});

describe("the command of a driver, as recorded with Spark 4.3.0", () => {
  test("quotes options and arguments for the shell", () => {
    const command = launchCommand(
      application({
        settings: {
          "spark.driver.extraLibraryPath": '/lib "x"',
          "spark.driver.defaultJavaOptions": "-Dd=1",
          "spark.driver.extraJavaOptions": '-Dq="it\'s $HOME \\"quoted\\"" -Dy={{APP_ID}}',
        },
        request: { appArgs: ['a "b" `c` \\d'] },
      }),
      512,
    );
    expect(command).toContain(
      'LD_LIBRARY_PATH=\\"/lib \\\\\\"x\\\\\\":$LD_LIBRARY_PATH\\" {{JAVA_HOME}}/bin/java -server -Djava.net.preferIPv6Addresses=false -XX:+IgnoreUnrecognizedVMOptions',
    );
    expect(command).toContain(
      "-Xmx512m -Djava.io.tmpdir={{PWD}}/tmp '-Dd=1' '-Dq=it'\\''s \\$HOME \\\"quoted\\\"' '-Dy=application_1_0001' -Dspark.yarn.app.container.log.dir=<LOG_DIR> org.apache.spark.deploy.yarn.ApplicationMaster --class 'Main' --jar file:/job/app.jar --arg 'a \\\"b\\\" `c` \\d' --properties-file",
    );
    expect(command.endsWith("1> <LOG_DIR>/stdout 2> <LOG_DIR>/stderr")).toBe(true);
  });

  test("names the file of an application in Python", () => {
    const appResource = { kind: "python", uri: "file:/job/app.py" } as const;
    const command = launchCommand(application({ request: { appResource, mainClass: "Runner" } }), 512);
    expect(command).toContain("ApplicationMaster --class 'Runner' --primary-py-file app.py --properties-file");
  });
});

test("a keytab is a file of the driver only, under its own name", () => {
  const { request, facts } = application({ settings: { "spark.kerberos.keytab": "/keys/ann.keytab" } });
  const keytab = { uri: "file:///keys/ann.keytab", link: "ann.keytab-1" };
  const planned = planDistribution(request, { ...facts, keytab, sparkJars: [] });
  expect(planned.ok && planned.value.files[0]).toMatchObject({ ...keytab, name: "ann.keytab", driverOnly: true });
  expect(planned.ok && planned.value.conf.get(kerberosKeytab)).toBe("ann.keytab-1");
});

describe("the request to a ResourceManager", () => {
  const none = { tokens: new Map(), secrets: new Map() };
  const bodyOf = (settings: Readonly<Record<string, string>>, credentials: HadoopCredentials = none) => {
    const { conf, facts, appId } = application({ settings });
    const size = { heapMiB: 512, overheadMiB: 384, cores: 2 };
    return submissionBody({
      appId,
      conf,
      facts,
      size,
      env: new Map(),
      command: "c",
      resources: [],
      credentials,
    });
  };

  test("contains the tokens and secrets of the containers", () => {
    const token = { identifier: Buffer.from("i"), password: Buffer.from("p"), kind: "k", service: "s" };
    const credentials = { tokens: new Map([["ha-hdfs:ns", token]]), secrets: new Map([["key", Buffer.from([255])]]) };
    expect(bodyOf({}, credentials)["am-container-spec"]).toMatchObject({
      credentials: {
        tokens: { entry: [{ key: "ha-hdfs:ns", value: "AWkBcAFrAXM" }] },
        secrets: { entry: [{ key: "key", value: "_w" }] },
      },
    });
  });

  test("contains only the specified fields", () => {
    expect(Object.keys(bodyOf({}))).toEqual([
      ...["application-id", "application-name", "queue", "application-type", "priority"],
      ...["keep-containers-across-application-attempts", "unmanaged-AM", "resource", "am-container-spec"],
    ]);
    expect(bodyOf({})["priority"]).toBe(0);
  });

  test("contains queue, priority, tags, attempts, labels, logs and ACLs", () => {
    expect(
      bodyOf({
        "spark.yarn.queue": "night",
        "spark.yarn.priority": "3",
        "spark.yarn.tags": "a,b,a",
        "spark.yarn.maxAppAttempts": "1",
        "spark.yarn.am.attemptFailuresValidityInterval": "1h",
        "spark.yarn.am.nodeLabelExpression": "gpu",
        "spark.yarn.rolledLog.includePattern": "*.log",
        "spark.ui.view.acls": "bob",
        "spark.ui.view.acls.groups": "team",
        "spark.modify.acls": "*",
        "spark.admin.acls": "root",
      }),
    ).toMatchObject({
      ...{ queue: "night", priority: 3, "application-tags": { tag: ["a", "b"] }, "max-app-attempts": 1 },
      "attempt-failures-validity-interval": 3_600_000,
      "am-container-node-label-expression": "gpu",
      "log-aggregation-context": { "rolled-log-include-pattern": "*.log" },
      resource: { memory: 896, vCores: 2 },
      "am-container-spec": {
        "application-acls": {
          entry: [
            { key: "VIEW_APP", value: "ann,root,bob team" },
            { key: "MODIFY_APP", value: "* " },
          ],
        },
      },
    });
  });
});
