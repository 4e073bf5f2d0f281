import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { issuesOf } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import { driverSteps } from "../features/driver-steps.ts";
import type { Contribution } from "../features/step.ts";
import { testDriver } from "../plan/test-driver.ts";
import { addContributions, type StepContribution } from "./add-contribution.ts";
import { sortKeys } from "./sort-keys.ts";

function add(first: Contribution, second: Contribution) {
  return addContributions([
    { step: "First", contribution: first },
    { step: "Second", contribution: second },
  ]);
}

function sumOf(parts: readonly StepContribution[]): Contribution {
  return orThrow(addContributions(parts)).contribution;
}

describe("contributions", () => {
  test("add up: lists are appended, fields are merged", () => {
    const added = add(
      { env: [{ name: "A" }], container: { resources: { limits: { cpu: "1" } } }, labels: { a: "1" } },
      { env: [{ name: "B" }], container: { resources: { limits: { gpu: "2" } } }, labels: { b: "2" } },
    );
    expect(orThrow(added).contribution).toEqual({
      env: [{ name: "A" }, { name: "B" }],
      container: { resources: { limits: { cpu: "1", gpu: "2" } } },
      labels: { a: "1", b: "2" },
    });
  });

  test.each([
    [{ labels: { a: "1" } }, { labels: { a: "2" } }, "labels.a"],
    [{ podSpec: { restartPolicy: "Never" } }, { podSpec: { restartPolicy: "Never" } }, "podSpec.restartPolicy"],
    [{ container: { args: ["a"] } }, { container: { args: ["b"] } }, "container.args"],
    [{ properties: { "spark.x": "1" } }, { properties: { "spark.x": "2" } }, "properties.spark.x"],
  ])("conflict when two steps set the same field: %j and %j", (first, second, what) => {
    const sum = add(first, second);
    const message = `The steps First and Second both set ${what}.`;
    expect(sum).toMatchObject({ ok: false, issues: [{ code: "SUBMIT_ERR_STEP_CONFLICT", message }] });
  });

  test("conflict with a field of the sum, which is kept", () => {
    const sum = orThrow(addContributions([{ step: "First", contribution: { labels: { a: "1" } } }]));
    const clash = addContributions([{ step: "Later", contribution: { labels: { a: "2" } } }], sum);
    expect(issuesOf(clash).map(({ message }) => message)).toEqual(["The steps First and Later both set labels.a."]);
    const more = addContributions([{ step: "Later", contribution: { labels: { b: "2" } } }], sum);
    expect(orThrow(more).contribution).toEqual({ labels: { a: "1", b: "2" } });
    expect(sum.contribution).toEqual({ labels: { a: "1" } });
  });

  test("report all conflicts together", () => {
    const both = { labels: { a: "1", b: "2" } };
    const sum = add(both, both);
    expect(!sum.ok && sum.issues).toHaveLength(2);
  });
});

/** A submission in which every step has something to add. */
const driver = testDriver({
  appResource: { kind: "python", uri: "local:///app.py" },
  settings: {
    "spark.kubernetes.authenticate.driver.oauthToken": "t",
    "spark.kubernetes.driver.secrets.s": "/s",
    "spark.kubernetes.driver.secretKeyRef.K": "s:k",
    "spark.kubernetes.driver.volumes.emptyDir.e.mount.path": "/e",
    "spark.kubernetes.driver.annotation.a": "b",
    "spark.kubernetes.container.image.pullSecrets": "p",
    "spark.pyspark.python": "python3",
  },
  facts: { executorTemplateText: "spec: {}" },
});

/** Sorts lists, whose order depends on the order of the steps. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(unordered(item))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unordered(item)]));
}

test("the order of the driver's steps determines only the order of lists", () => {
  const parts = driverSteps.map(({ name, contribute }) => ({ step: name, contribution: contribute(driver) }));
  const inOrder = sumOf(parts);
  fc.assert(
    fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (shuffled) => {
      const sum = sumOf(shuffled);
      expect(unordered(sortKeys(sum))).toEqual(unordered(sortKeys(inOrder)));
    }),
    { numRuns: 50 },
  );
});
