import { expect, test } from "vitest";
import { parseImageReference } from "./image-reference.ts";

test.each([
  ["spark", { repository: "docker.io/library/spark", tag: "latest" }],
  ["spark:4.3.0", { repository: "docker.io/library/spark", tag: "4.3.0" }],
  ["apache/spark:3.5.1-python3", { repository: "docker.io/apache/spark", tag: "3.5.1-python3" }],
  ["localhost:5000/me/spark:dev", { repository: "localhost:5000/me/spark", tag: "dev" }],
  ["gcr.io/x/spark-py@sha256:abc", { repository: "gcr.io/x/spark-py", tag: undefined }],
])("parses %s", (text, parts) => {
  expect(parseImageReference(text)).toEqual(parts);
});

test("reports an invalid name with the kubelet's message", () => {
  expect(parseImageReference("Bad Image:::1")).toEqual({
    problem:
      'Failed to apply default image tag "Bad Image:::1": couldn\'t parse image name "Bad Image:::1": invalid reference format: repository name (library/Bad Image) must be lowercase',
  });
  expect(parseImageReference("a b")).toEqual({
    problem: 'Failed to apply default image tag "a b": couldn\'t parse image name "a b": invalid reference format',
  });
});
