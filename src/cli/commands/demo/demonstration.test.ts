import { expect, test } from "vitest";
import { javaPiArgs, printCommand, pythonPiArgs } from "./demonstration.ts";

test("the command is printed as one would type it", () => {
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

test("the Java example reaches both roles by a volume", () => {
  const words = javaPiArgs("4", { folder: "/c/examples", jar: "java-pi.jar" });
  for (const role of ["driver", "executor"]) {
    expect(words).toContain(`spark.kubernetes.${role}.volumes.hostPath.examples.options.path=/c/examples`);
  }
  expect(words.slice(-2)).toEqual(["local:///opt/firesteel/examples/java-pi.jar", "4"]);
});
