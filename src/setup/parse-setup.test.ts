import { expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import { parseSetup } from "./parse-setup.ts";

function parse(options: Readonly<Record<string, readonly string[]>>, namespace = "jobs") {
  return parseSetup({ namespace, values: (option) => options[option] ?? [], isIsolated: false });
}

function problems(...[options, namespace]: Parameters<typeof parse>): readonly string[] {
  try {
    parse(options, namespace);
  } catch (error) {
    if (isSubmitError(error)) return error.issues.map(({ message }) => message);
    throw error;
  }
  return [];
}

test("the submitter of a namespace is named after the account of its drivers", () => {
  expect(parse({})).toMatchObject({ driverAccount: "spark", submitters: [{ name: "spark-submitter" }] });
  expect(parse({ "--service-account": ["etl"] })).toMatchObject({ submitters: [{ name: "etl-submitter" }] });
});

test.each([
  ["user:ann@example.com", { kind: "User", name: "ann@example.com" }],
  ["user:system:node", { kind: "User", name: "system:node" }],
  ["group:data team", { kind: "Group", name: "data team" }],
  ["serviceaccount:runner", { kind: "ServiceAccount", name: "runner", namespace: "jobs" }],
  ["serviceaccount:ci:runner", { kind: "ServiceAccount", name: "runner", namespace: "ci" }],
])("the submitter %s is a subject", (text, subject) => {
  expect(parse({ "--submitter": [text] }).submitters).toEqual([expect.objectContaining(subject)]);
});

test("features keep their order, whatever the order of the options", () => {
  expect(parse({ "--allow": ["volcano", "nodes,deployment"] }).features).toEqual(["deployment", "volcano", "nodes"]);
});

test("a quota limits the requests of CPU and memory, and resources as they are named", () => {
  expect(parse({ "--quota": ["cpu=20, memory=64Gi,pods=50,count/secrets=100"] }).quota).toEqual({
    ...{ "requests.cpu": "20", "requests.memory": "64Gi", pods: "50", "count/secrets": "100" },
  });
});

test.each([
  "",
  "cpu",
  "cpu=",
  "cpu=many",
  "cpu=-1",
  "cpu=1,cpu=2",
  "cpu=1,requests.cpu=2",
  "cpu=1,,pods=2",
  "__proto__=x",
])("the quota %j is rejected", (quota) => expect(problems({ "--quota": [quota] })).toHaveLength(1));

test("all problems are reported together", () => {
  expect(
    problems(
      { "--service-account": ["Spark"], "--submitter": ["ann", "serviceaccount:a:b:c"], "--allow": ["node"] },
      "a.b",
    ),
  ).toEqual([
    "Invalid value 'a.b' for setup namespace; allowed: lowercase letters, digits and -, at most 63 characters.",
    expect.stringContaining("'Spark' for --service-account"),
    expect.stringContaining("'ann' for --submitter"),
    expect.stringContaining("'serviceaccount:a:b:c' for --submitter"),
    expect.stringContaining("'node' for --allow"),
  ]);
});

test.each(["spark", "spark-submitter"])("executors cannot have the account %s, whose pods need a token", (name) => {
  expect(problems({ "--executor-service-account": [name] })).toEqual([expect.stringContaining("another account")]);
});
