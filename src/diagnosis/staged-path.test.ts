import { expect, test } from "vitest";
import { withoutStagedDirectories } from "./staged-path.ts";

const id = "6f7a1f8e-7a53-4f0e-9c57-0a5d9f3c1b11";

test.each([
  ["file:///opt/spark-deps/jars/app.jar", "app.jar"],
  ["cannot open '/opt/spark-deps/pyfiles/report.py' (2)", "cannot open 'report.py' (2)"],
  [`file:/shared/spark-upload-${id}/report.py, line 2`, "report.py, line 2"],
  [`/tmp/spark-${id}/userFiles-${id}/lib.zip/rules.py`, "lib.zip/rules.py"],
  ["/opt/spark-deps-old/jars/app.jar", "/opt/spark-deps-old/jars/app.jar"],
  ["/data/orders.csv", "/data/orders.csv"],
])("%s names the user's file", (text, expected) => {
  expect(withoutStagedDirectories(text)).toBe(expected);
});

test("the directory of the submission's files can be another one", () => {
  const properties = { "spark.firesteel.staging.directory": "/srv/files" };
  expect(withoutStagedDirectories("/srv/files/files/a.csv /opt/spark-deps/files/b.csv", properties)).toBe(
    "a.csv /opt/spark-deps/files/b.csv",
  );
});
