import { expect, test } from "vitest";
import { run, withCaches } from "./programs.ts";

test("spark-submit ends as its driver on the embedded cluster, whose log it showed", async () => {
  const { exit, stdout, stderr } = await run(
    "spark-submit",
    [
      ...["--master", "k8s://embedded", "--deploy-mode", "cluster", "--conf", "spark.firesteel.logs=driver"],
      ...["local:///opt/spark/examples/src/main/python/pi.py", "many"],
    ],
    { env: withCaches({}) },
  );
  expect(stdout).toContain("invalid literal for int() with base 10: 'many'");
  expect(stderr).toContain("exit code: 1");
  expect(exit).toBe(1);
});
