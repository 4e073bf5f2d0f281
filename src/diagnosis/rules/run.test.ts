import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, event, failedDriver, observe } from "../test-observation.ts";
import { diagnoseLog } from "./test-diagnose.ts";

describe("the end of a driver", () => {
  const limited = (memory: string) => ({
    containers: [{ name: "spark-kubernetes-driver", resources: { limits: { memory } } }],
  });

  test("at its memory limit: the setting to raise, and its value", () => {
    const driver = driverPod({
      phase: "Failed",
      spec: limited("4505Mi"),
      states: { main: ended(137, { reason: "OOMKilled" }) },
    });
    const found = diagnose(observe({ driver, properties: { "spark.driver.memory": "4g" } }));
    expect(found).toMatchObject({ cause: "oom-killed", key: "spark.driver.memoryOverhead" });
    expect(found?.message).toContain("4505Mi");
    expect(found?.message).not.toMatch(/exit code: \d/);
    expect(found?.nextStep).toBe("Raise spark.driver.memoryOverhead to 896m or more: the limit is then 4992 MiB.");
  });

  test.each([
    [137, "killed"],
    [143, "terminated"],
    [134, "jvm-crash"],
    [139, "jvm-crash"],
    [126, "command-not-executable"],
    [127, "command-not-found"],
    [3, "application-exit"],
  ])("with %i: %s", (exitCode, cause) => {
    expect(diagnoseLog("working", exitCode)).toMatch(new RegExp(`^${cause}:.*${exitCode}`));
  });

  test.each([
    [127, "sh: 1: Rscript: not found", "Rscript", "is not in the image"],
    [127, "/opt/job.sh: line 9: exec: nvidia-smi: not found", "nvidia-smi", "is not in the image"],
    [
      127,
      "/opt/spark/bin/spark-class: line 97: /opt/java/bin/java: No such file or directory",
      "/opt/java/bin/java",
      "",
    ],
    [127, "bash: aws: command not found", "aws", "is not in the image"],
    [127, "env: ‘Rscript’: No such file or directory", "Rscript", "is not in the image"],
    [127, "[FATAL tini (7)] exec /opt/run failed: No such file or directory", "/opt/run", "is not in the image"],
    [126, "/opt/entrypoint.sh: line 3: /opt/run: Permission denied", "/opt/run", "cannot be executed"],
  ])("with %i and %j: names the command", (exitCode, line, command, what) => {
    const log = [
      "WARN Utils: log4j2.properties not found, Permission denied",
      "sh: 1: optional: not found",
      line,
      "cleaning up: /tmp/x: No such file or directory",
    ];
    const found = diagnose(observe({ driver: failedDriver(log.join("\n"), exitCode) }));
    expect(found?.message).toContain(`The command ${command} ${what}`);
    expect(found?.evidence).toContainEqual({ in: "log", text: line });
  });

  test("with its code as the reason, and its output as evidence", () => {
    const log = "loading\nTotal: 5 errors found\nbye";
    const found = diagnose(observe({ driver: failedDriver(log, 42) }));
    expect(found).toMatchObject({ cause: "application-exit", message: "The application exited with code 42." });
    expect(found?.evidence).toEqual([
      { in: "pod", text: '"exitCode": 42' },
      ...log.split("\n").map((text) => ({ in: "log", text })),
    ]);
  });

  test("with its termination message as the reason, unless that is its output", () => {
    const messageOf = (terminationMessagePolicy?: string) => {
      const container = {
        name: "spark-kubernetes-driver",
        ...(terminationMessagePolicy && { terminationMessagePolicy }),
      };
      const states = { main: ended(42, { message: "no input for today" }) };
      return diagnose(observe({ driver: driverPod({ phase: "Failed", spec: { containers: [container] }, states }) }));
    };
    expect(messageOf()?.message).toBe("The application exited with code 42: no input for today.");
    expect(messageOf("FallbackToLogsOnError")?.message).toBe("The application exited with code 42.");
    expect(messageOf("FallbackToLogsOnError")?.evidence).toContainEqual({ in: "pod", text: "no input for today" });
  });

  test("with success, but with a failed sidecar", () => {
    const spec = { containers: [{ name: "a-proxy" }, { name: "spark-kubernetes-driver" }] };
    const driver = driverPod({ phase: "Failed", spec, states: { "a-proxy": ended(2), main: ended(0) } });
    expect(diagnose(observe({ driver }))).toMatchObject({ cause: "side-car-failed", isTerminal: true });
    const running = driverPod({
      phase: "Running",
      spec,
      states: { "a-proxy": { running: {} }, main: ended(0) },
    });
    expect(diagnose(observe({ driver: running, second: 10 }))).toBeUndefined();
    expect(diagnose(observe({ driver: running, second: 17 }))).toMatchObject({ cause: "side-car-running" });
  });

  test("with success, regardless of exceptions in its log", () => {
    const log = { main: 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space' };
    const driver = driverPod({ phase: "Succeeded", states: { main: ended(0) }, logs: log });
    expect(diagnose(observe({ driver }))).toBeUndefined();
  });

  test("by a probe, but not by probes that fail while a driver starts", () => {
    const driver = driverPod({ phase: "Running", states: { main: { running: {} } } });
    const unhealthy = event("Unhealthy", "Startup probe failed: dial tcp 10.0.0.1:4040: connect: connection refused", {
      count: 2,
    });
    expect(diagnose(observe({ driver, events: [unhealthy] }))).toBeUndefined();
    const killing = event("Killing", "Container spark-kubernetes-driver failed startup probe, will be restarted", {
      second: 9,
    });
    expect(diagnose(observe({ driver, events: [unhealthy, killing] }))).toMatchObject({
      cause: "probe-failed",
    });
  });
});
