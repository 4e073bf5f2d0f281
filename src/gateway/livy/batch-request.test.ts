import { expect, test } from "vitest";
import { parseBatchRequest } from "./batch-request.ts";

const empty = { args: [], jars: [], pyFiles: [], files: [], archives: [], conf: {} };

test("null is the same as absent, in fields and in conf", () => {
  const body = { file: "/a.jar", name: null, args: null, driverCores: null, conf: { "spark.a": null, "spark.b": "1" } };
  expect(parseBatchRequest(body)).toEqual({
    request: { ...empty, file: "/a.jar", conf: { "spark.b": "1" } },
    problems: [],
  });
});

test("numbers and booleans become texts", () => {
  const body = { file: 7, args: [1, 2.5, true], conf: { "spark.executor.instances": 2, "spark.ui.enabled": false } };
  expect(parseBatchRequest(body)).toEqual({
    request: {
      ...empty,
      file: "7",
      args: ["1", "2.5", "true"],
      conf: { "spark.executor.instances": "2", "spark.ui.enabled": "false" },
    },
    problems: [],
  });
});

test.each([
  [2, "2"],
  ["2", "2"],
  [" 3 ", "3"],
  ["-1", "-1"],
])("%j is an integer", (value, expected) => {
  expect(parseBatchRequest({ numExecutors: value })).toEqual({
    request: { ...empty, numExecutors: expected },
    problems: [],
  });
});

test.each(["many", 2.5, true, "2147483648", "", "0x10"])("%j is not an integer", (value) => {
  const { problems } = parseBatchRequest({ driverCores: value });
  expect(problems).toEqual([expect.stringMatching(/^driverCores must be an integer, but is /)]);
});

test("all problems are reported together, each with its field", () => {
  const body = {
    file: ["a.jar"],
    className: { a: 1 },
    args: ["a", null, ["b"]],
    jars: "a.jar,b.jar",
    conf: { "spark.a": [1] },
    numExecutors: "many",
    colour: "red",
    kind: "spark",
  };
  expect(parseBatchRequest(body).problems).toEqual([
    'The field "colour" is not known.',
    'The field "kind" belongs to interactive sessions, not to batches.',
    "file must be a string, but is a list.",
    "className must be a string, but is an object.",
    'numExecutors must be an integer, but is "many".',
    "args[1] must be a string, but is null.",
    "args[2] must be a string, but is a list.",
    "jars must be a list of strings, but is a string.",
    'conf["spark.a"] must be a string, but is a list.',
  ]);
});

test.each([["spark.a=1"], "spark.a=1", 5, true])("%j is not a conf", (conf) => {
  const { problems } = parseBatchRequest({ conf });
  expect(problems).toEqual([expect.stringMatching(/^conf must be an object of strings, but is /)]);
});

test("names of JavaScript's prototypes are ordinary fields and keys", () => {
  const body: Record<string, unknown> = JSON.parse('{"__proto__": 1, "constructor": 2, "conf": {"__proto__": "x"}}');
  expect(parseBatchRequest(body).problems).toEqual([
    'The field "__proto__" is not known.',
    'The field "constructor" is not known.',
  ]);
});
