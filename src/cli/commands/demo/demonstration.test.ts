import { expect, test } from "vitest";
import { javaPiArgs, printCommand, pythonPiArgs } from "./demonstration.ts";

test("printCommand prints one option per line", () => {
  expect(printCommand("spark-submit", pythonPiArgs("10"))).toBe(
    [
      "spark-submit",
      "--master k8s://embedded",
      "--deploy-mode cluster",
      "--driver-memory 512m",
      "--executor-memory 512m",
      "--conf spark.executor.instances=2",
      "--conf spark.firesteel.logs=driver",
      "local:///opt/spark/examples/src/main/python/pi.py 10",
    ].join(" \\\n  "),
  );
});

test("javaPiArgs mounts the directory of the jar into driver and executors", () => {
  const args = javaPiArgs("4", { directory: "/c/examples", jar: "java-pi.jar" });
  for (const role of ["driver", "executor"]) {
    expect(args).toContain(`spark.kubernetes.${role}.volumes.hostPath.examples.options.path=/c/examples`);
  }
  expect(args.slice(-2)).toEqual(["local:///opt/firesteel/examples/java-pi.jar", "4"]);
});
