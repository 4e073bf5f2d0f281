import { expect, test } from "vitest";
import { pathRewriter } from "./path-rewriting.ts";

const rewrite = pathRewriter(
  [
    { kind: "bind", source: "/usr", target: "/usr", readOnly: true },
    { kind: "temporary", target: "/tmp", mode: 0o1777 },
    { kind: "bind", source: "/home/spark", target: "/opt/spark", readOnly: true },
    { kind: "bind", source: "/volumes/c", target: "/opt/spark/conf", readOnly: true },
  ],
  "/root.d",
);

test.each([
  ["/opt/spark/bin/spark-submit", "/root.d/opt/spark/bin/spark-submit"],
  ["local:///opt/spark/jars/x.jar", "local:///root.d/opt/spark/jars/x.jar"],
  ["-Dx=file:/opt/spark:/opt/spark/conf", "-Dx=file:/root.d/opt/spark:/root.d/opt/spark/conf"],
  ["a\n/opt/spark b", "a\n/root.d/opt/spark b"],
])("rewrites a complete path of the container: %s", (text, expected) => {
  expect(rewrite(text)).toBe(expected);
});

test.each(["/srv/opt/spark", "/opt/spark-4", "x/opt/spark", "http://host/opt/spark", "/usr/bin/env", "/tmp/x"])(
  "keeps other paths and paths shared with this machine: %s",
  (text) => {
    expect(rewrite(text)).toBe(text);
  },
);
