import { describe, expect, test } from "vitest";
import { causes } from "../../src/diagnosis/causes.ts";
import { diagnose } from "../../src/diagnosis/diagnose.ts";
import type { Diagnosis } from "../../src/diagnosis/diagnosis.ts";
import { type ObservedRun, readRecord } from "../../src/diagnosis/record.ts";
import { contains, type RecordedFault, recordedFaults } from "./recorded-fault.ts";

/** Maximum time from the first evidence of a cause to its diagnosis (ms). */
const maxDelayMs = 10_000;

const faults = recordedFaults();

describe("a recorded fault is diagnosed in time, and no other cause at any time", () => {
  test.each(faults.map((fault) => [fault.id, fault.cause, fault] as const))("%s: %s", (_id, _cause, fault) => {
    const run = runOf(fault);
    const { knownMs } = fault.truth;
    const found = timesOf(run, knownMs).map((ms) => ({
      ms,
      cause: diagnose(run.at(ms))?.cause ?? "none",
    }));
    expect(found.filter(({ cause }) => cause !== "none" && cause !== fault.cause)).toEqual([]);
    const late = found.filter(({ ms, cause }) => knownMs !== null && ms >= knownMs + maxDelayMs && cause === "none");
    expect(late).toEqual([]);
    checkEnd(fault, diagnose(run.at(run.endMs)));
  });
});

function checkEnd(fault: RecordedFault, diagnosis: Diagnosis | undefined): void {
  const { cause, truth } = fault;
  expect(diagnosis?.cause ?? "none").toBe(cause);
  expect(diagnosis?.isTerminal ?? false).toBe(truth.terminal);
  if (diagnosis === undefined) return;
  const { message, nextStep, evidence } = diagnosis;
  expect(truth.mustMention.filter((text) => !message.toLowerCase().includes(text.toLowerCase()))).toEqual([]);
  expect(nextStep).not.toBe("");
  expect(`${message} ${nextStep}`).not.toMatch(/exit code: \d/);
  expect(evidence).not.toEqual([]);
  expect(evidence.filter(({ in: part, text }) => !contains(fault, part, text))).toEqual([]);
}

function runOf({ id, record }: RecordedFault): ObservedRun {
  const run = readRecord(JSON.stringify(record), id);
  if (!run.ok) throw new Error(run.issues.map(({ message }) => message).join("; "));
  return run.value;
}

/** Lists the times to check: each change, each second, and the latest time of the diagnosis. */
function timesOf({ changesMs, endMs }: ObservedRun, knownMs: number | null): readonly number[] {
  const seconds = Array.from({ length: Math.ceil(endMs / 1000) }, (_, index) => index * 1000);
  const latest = knownMs === null ? [] : [Math.min(knownMs + maxDelayMs, endMs)];
  return [...new Set([...changesMs, ...seconds, ...latest])].sort((a, b) => a - b);
}

test("the records cover most causes", () => {
  const recorded = new Set(faults.map(({ cause }) => cause));
  expect(Object.keys(causes).filter((cause) => recorded.has(cause)).length).toBeGreaterThan(90);
});
