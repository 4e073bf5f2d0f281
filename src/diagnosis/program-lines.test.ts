import { expect, test } from "vitest";
import { programLines } from "./program-lines.ts";

const started = "26/01/02 03:04:05 INFO SparkContext: Running Spark version 4.3.0";

function kept(...texts: readonly string[]): readonly string[] {
  return programLines(texts.map((text) => ({ at: 0, text }))).map(({ text }) => text);
}

test("all lines count before Spark's first record, when no application runs", () => {
  const lines = ["exec /opt/start: exec format error", "anything"];
  expect(kept(...lines)).toEqual(lines);
  expect(kept(...lines, started)).toEqual([...lines, started]);
});

test.each([
  "java.lang.OutOfMemoryError: Java heap space",
  'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
  'Error: pods is forbidden: User "x" cannot create resource "pods"',
  "No space left on device",
  "  indented output",
])("output of the application does not count: %s", (output) => {
  expect(kept(started, "26/01/02 03:04:06 INFO Executor: idle", "a result", output, "more output")).not.toContain(
    output,
  );
});

test.each([
  [
    "a record with an exception",
    [
      "26/01/02 03:04:06 ERROR TaskSetManager: failed",
      "java.io.IOException: full",
      "\tat a.B.c(B.java:1)",
      "Caused by: java.io.IOException: disk",
    ],
  ],
  [
    "an exception with frames",
    ['Exception in thread "main" java.lang.IllegalStateException: x', "\tat a.B.c(B.java:1)", "\t... 3 more"],
  ],
  [
    "a traceback and Py4J's exception",
    [
      "Traceback (most recent call last):",
      '  File "/a.py", line 1, in <module>',
      "    run()",
      "py4j.protocol.Py4JJavaError: An error",
      ": java.lang.Error: x",
      "\tat a.B.c(B.java:1)",
    ],
  ],
  ["a syntax error", ['  File "/a.py", line 1', "    x = (", "        ^", "SyntaxError: '(' was never closed"]],
  ["a message of Spark's launcher", ["Error: Failed to load class com.example.Report."]],
  ["a JSON record", ['{"ts":"2026-01-02T03:04:06Z","level":"ERROR","msg":"failed"}']],
])("%s counts", (_, lines) => {
  expect(kept(started, "a result", ...lines, "another result")).toEqual([started, ...lines]);
});
