import { expect, test } from "vitest";
import { registryOf, tagProblem } from "./tag-problem.ts";

test.each([
  "spark:4.3.0",
  "team/spark_py:1",
  "registry.example/a/b:x.y-z",
  "localhost/spark:1",
  "127.0.0.1:5000/a:b",
  "[::1]:5000/a:b",
])("%s is a name with a tag", (name) => {
  expect(tagProblem(name)).toBeUndefined();
});

test.each([
  ["spark", "it has no tag"],
  ["registry.example:5000/spark", "it has no tag"],
  ["Spark:1", "it has capital letters"],
  ["spark:", " is not a tag"],
  ["a--b_/c:1", "a--b_/c is not a name of letters, digits and single separators"],
  [":1", "the part before the tag is not a name of letters, digits and single separators"],
  ["spark@sha256:00", "a digest cannot be given to an image"],
  ["exa$mple.org/a:1", "exa$mple.org is not the address of a registry"],
])("%s is rejected: %s", (name, reason) => {
  expect(tagProblem(name)).toBe(reason);
});

test.each([
  ["spark:1", undefined],
  ["team/spark:1", undefined],
  ["docker.io/team/spark:1", "docker.io"],
  ["localhost/spark:1", "localhost"],
  ["[::1]:5000/a:b", "[::1]:5000"],
])("the registry of %s is %s", (name, registry) => {
  expect(registryOf(name)).toBe(registry);
});
