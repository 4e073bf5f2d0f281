import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { gatewayHistory } from "./gateway-history.ts";

const spark = { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.3.0.jar": "" };
const java = { "/java/bin/java": "", "/java/release": 'JAVA_VERSION="17.0.9"\n' };
const env = { HOME: "/home/tester", SPARK_HOME: "/spark", JAVA_HOME: "/java" };
const eventLogs = "/logs";

test("serves the directory of the gateway's settings, else that of the embedded cluster, with the settings of the server", async () => {
  const host = testHost({ files: { ...spark, ...java, "/logs/x": "", "/own/x": "" }, env });
  const defaults = {
    "spark.history.retainedApplications": "9",
    "spark.hadoop.a": "b",
    "spark.executor.instances": "2",
  };
  const { settings, ...server } = await gatewayHistory(host, { defaults, eventLogs });
  expect(server).toMatchObject({ spark: { home: "/spark" }, javaHome: "/java", jars: [] });
  expect(Object.fromEntries(settings)).toEqual({
    ...{ "spark.history.retainedApplications": "9", "spark.hadoop.a": "b" },
    ...{ "spark.history.fs.logDirectory": "file:///logs", "spark.history.ui.port": "0", "spark.port.maxRetries": "0" },
  });
  const own = await gatewayHistory(host, { defaults: { "spark.eventLog.dir": "file:///own" }, eventLogs });
  expect(own.settings.get("spark.history.fs.logDirectory")).toBe("file:///own");
});

test.each([
  ["a directory", { files: { ...spark, ...java } }, undefined, /settings have no spark\.eventLog\.dir/],
  ["an existing directory", { files: { ...spark, ...java } }, "/none", /event logs in \/none: it is not a directory/],
  [
    "Spark",
    { files: { ...java, "/logs/x": "" } },
    eventLogs,
    /this machine has no Spark: SPARK_HOME \(\/spark\) is not/,
  ],
  ["Java", { files: { ...spark, "/logs/x": "" } }, eventLogs, /this machine has no Java 17 or later: set JAVA_HOME/],
])("without %s, the message says what is missing", async (_, machine, directory, message) => {
  const host = testHost({ ...machine, env });
  const failure = gatewayHistory(host, { defaults: {}, eventLogs: directory });
  const code = expect.stringMatching(/^SUBMIT_ERR_(GATEWAY_)?HISTORY_SERVER$/);
  await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});
