import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";

const pi = "local:///opt/spark/examples/src/main/python/pi.py";

/** Submits Pi to the embedded cluster and waits until it ends. */
function submitPi(options: readonly string[], ...args: readonly string[]) {
  const allArgs = ["--master", "k8s://embedded", "--deploy-mode", "cluster", ...options, pi, ...args];
  return run("spark-submit", allArgs, { env: withSpark({}) });
}

test("spark-submit shows the driver's log and returns its exit code", async () => {
  const { exit, stdout, stderr } = await submitPi(["--logs", "driver"], "many");
  expect(stdout).toContain("invalid literal for int() with base 10: 'many'");
  expect(stderr).toContain("exit code: 1");
  expect([...stderr.matchAll(/[eE]xit code: (\d+)/g)].at(-1)?.[1]).toBe("1");
  expect(exit).toBe(1);
});

test("logs of both executors are shown with the driver's, each line with its executor", async () => {
  const { exit, stdout } = await submitPi(["--logs", "all", "--conf", "spark.executor.instances=2"], "4");
  expect(stdout).toMatch(/^Pi is roughly/m);
  const executors = new Set([...stdout.matchAll(/^\[executor (\d+)\] /gm)].map(([, id]) => id));
  expect([...executors].sort()).toEqual(["1", "2"]);
  expect(exit).toBe(0);
});

test("a local script and its modules need no settings, and a killed executor is replaced", async () => {
  const directory = temporaryDirectory();
  // Process ID of a Python worker: its parent is the worker daemon, whose parent is the executor.
  const module = `
import os, signal, time
from pyspark import TaskContext

def die_first(part):
    if TaskContext.get().attemptNumber() == 0:
        daemon = open("/proc/%d/stat" % os.getppid()).read()
        os.kill(int(daemon.rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
        time.sleep(60)
    return os.uname().nodename
`;
  const script = `
from pyspark.sql import SparkSession
from dying import die_first
print("ran on", SparkSession.builder.getOrCreate().sparkContext.parallelize([1], 1).map(die_first).collect())
`;
  writeFileSync(join(directory, "dying.py"), module);
  writeFileSync(join(directory, "job.py"), script);
  const allArgs = ["--master", "k8s://embedded", "--deploy-mode", "cluster", "--logs", "driver"];
  const { exit, stdout, stderr } = await run(
    "spark-submit",
    [...allArgs, "--conf", "spark.executor.instances=1", "--py-files", "dying.py", "job.py"],
    { env: withSpark({}), cwd: directory },
  );
  expect(stdout, stderr).toMatch(/^ran on \['job-py-.*-exec-2'\]$/m);
  expect(exit).toBe(0);
});

const missingImage = ["--conf", "spark.kubernetes.container.image=nowhere.example/nothing:1"];

test("with --fail-fast a driver whose image is missing is terminated at once, with the reason", async () => {
  const { exit, stderr } = await submitPi([...missingImage, "--fail-fast"]);
  expect(stderr).toMatch(/WARN Diagnosis: .*nowhere\.example\/nothing:1/);
  expect(stderr).toMatch(/will not start without a change and was deleted\.\nReason: .*\nHint: /);
  expect(exit).toBe(1);
});

test("a driver that has not started within the start timeout is deleted, with the reason", async () => {
  const { exit, stderr } = await submitPi([...missingImage, "--conf", "spark.firesteel.startTimeout=10s"]);
  expect(stderr).toMatch(/did not start within 10 s and was deleted\.\nReason: .*nowhere\.example/);
  expect(exit).toBe(124);
});
