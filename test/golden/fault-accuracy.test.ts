import { expect, test } from "vitest";
import { diagnose } from "../../src/diagnosis/diagnose.ts";
import { readRecord } from "../../src/diagnosis/record.ts";
import { accuracyOf, halvesOf, resultOf } from "./fault-accuracy.ts";
import { contains, isForTesting, recordedScenarios } from "./recorded-fault.ts";

const scenarios = recordedScenarios();
const halves = halvesOf(scenarios.map(resultOf));

test.each([
  { half: "development", minPrecision: 0.98, minRecall: 0.98 },
  { half: "testing", minPrecision: 0.94, minRecall: 0.94 },
] as const)("the diagnosis of the scenarios for $half is precise and complete", ({ half, minPrecision, minRecall }) => {
  const accuracy = accuracyOf(halves[half]);
  console.log(half, JSON.stringify(accuracy));
  expect(accuracy.faults).toBeGreaterThan(40);
  expect(accuracy.precision).toBeGreaterThanOrEqual(minPrecision);
  expect(accuracy.recall).toBeGreaterThanOrEqual(minRecall);
});

test("a right diagnosis mentions what the user needs, and quotes the record", () => {
  const problems = scenarios
    .filter(({ id }) => !isForTesting(id))
    .flatMap((fault) => {
      const run = readRecord(JSON.stringify(fault.record), fault.id);
      const found = run.ok ? diagnose(run.value.at(run.value.endMs)) : undefined;
      if (found === undefined || found.cause !== fault.cause) return [];
      const { mustMention, terminal } = fault.truth;
      const text = found.message.toLowerCase();
      return [
        ...mustMention.filter((part) => !text.includes(part.toLowerCase())).map((part) => `${fault.id}: no ${part}`),
        ...found.evidence.filter((one) => !contains(fault, one.in, one.text)).map((one) => `${fault.id}: ${one.text}`),
        ...(found.isTerminal === terminal ? [] : [`${fault.id}: terminal is ${found.isTerminal}`]),
      ];
    });
  expect(problems).toEqual([]);
});
