import { expect, test } from "vitest";
import type { TestChild } from "../../host/test-children.ts";
import { testHost } from "../../host/test-host.ts";
import { clusterPaths } from "../cluster-record.ts";
import { runHistoryCommand } from "./history.ts";

const files = {
  "/spark/bin/spark-submit": "",
  "/spark/jars/spark-core_2.13-4.3.0.jar": "",
  "/logs/x": "",
  "/java/bin/java": "",
  "/java/release": 'JAVA_VERSION="17.0.9"\n',
};
const env = { HOME: "/home/tester", SPARK_HOME: "/spark", JAVA_HOME: "/java" };

test("reports a directory that does not exist, and an invalid port", async () => {
  const host = testHost({ files, env });
  await expect(runHistoryCommand(host, ["--dir", "/nowhere"])).rejects.toMatchObject({
    code: "SUBMIT_ERR_HISTORY_SERVER",
    message: "Cannot serve the event logs in /nowhere: it is not a directory.",
  });
  await expect(runHistoryCommand(host, ["--port", "x"])).rejects.toMatchObject({ code: "SUBMIT_ERR_ARG_VALUE" });
});

test("starts Spark's server with the settings in a private file, prints its URL, and ends at an interrupt", async () => {
  const secret = "spark.hadoop.fs.s3a.secret.key=planted-secret\n";
  const guards: TestChild[] = [];
  const host = testHost({
    files: { ...files, "/my.conf": secret },
    env,
    spawn(child) {
      const { command, args, options, write } = child;
      if (command === "sh") {
        // Java must not outlive a killed command.
        guards.push(child);
        return;
      }
      expect(command).toBe("/spark/bin/spark-class");
      expect(args.join(" ")).not.toContain("planted-secret");
      expect(options.env).toMatchObject({ JAVA_HOME: "/java", SPARK_LOCAL_IP: "127.0.0.1" });
      const path = args.at(-1) ?? "";
      expect(host.files.info(path)?.mode).toBe(0o600);
      expect(host.files.readText(path)).toBe(
        `${secret}\nspark.history.fs.logDirectory=file\\:///logs\nspark.history.ui.port=18090\nspark.port.maxRetries=0\n`,
      );
      write(2, "INFO HistoryServer: Bound HistoryServer to 127.0.0.1, and started at http://127.0.0.1:18090\n");
    },
  });
  host.clock.after(1000, () => host.raise("SIGINT"));
  const args = ["--dir", "/logs", "--port", "18090", "--properties-file", "/my.conf"];
  expect(await host.settle(runHistoryCommand(host, args))).toBe(0);
  expect(host.outText()).toBe("http://127.0.0.1:18090\n");
  expect(guards.map((guard) => guard.input())).toEqual(["ended\n"]);
  expect(host.files.list(host.files.temporaryRoot) ?? []).toEqual([]);
});

test("reports the exception of a server that does not start", async () => {
  const host = testHost({
    files,
    env,
    spawn({ command, write, exit }) {
      if (command === "sh") return;
      write(2, 'Exception in thread "main" java.io.IOException: a\nCaused by: java.net.BindException: in use\n');
      exit(1);
    },
  });
  await expect(host.settle(runHistoryCommand(host, ["--dir", "/logs"]))).rejects.toMatchObject({
    message: "Cannot serve the event logs in file:///logs: java.net.BindException: in use.",
  });
});

test("names the credentials if a bucket is not readable", async () => {
  const host = testHost({ files, env });
  const args = ["--dir", "s3a://bucket/logs", "--properties-file", "/missing.conf"];
  const hint = expect.stringContaining("spark.hadoop.fs.s3a.access.key");
  await expect(runHistoryCommand(host, args)).rejects.toMatchObject({ issues: [{ hint }] });
});

test("serves the event logs of an embedded cluster by its name", async () => {
  const settings: (string | undefined)[] = [];
  const host = testHost({
    files,
    env,
    spawn({ command, args, exit }) {
      if (command === "sh") return;
      settings.push(host.files.readText(args.at(-1) ?? ""));
      exit(1);
    },
  });
  const { eventLogs } = clusterPaths(host, "team");
  await expect(host.settle(runHistoryCommand(host, ["--name", "team"]))).rejects.toMatchObject({
    code: "SUBMIT_ERR_HISTORY_SERVER",
  });
  expect(settings).toEqual([expect.stringContaining(`spark.history.fs.logDirectory=file\\://${eventLogs}\n`)]);
});

test("prints usage", async () => {
  const host = testHost();
  expect(await runHistoryCommand(host, ["--help"])).toBe(0);
  expect(host.outText()).toMatch(/^Usage: firesteel history/);
});
