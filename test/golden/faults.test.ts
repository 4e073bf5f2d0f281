import { describe, expect, test } from "vitest";
import { causes } from "../../src/diagnosis/causes.ts";
import { diagnose } from "../../src/diagnosis/diagnose.ts";
import type { Diagnosis } from "../../src/diagnosis/diagnosis.ts";
import { type ObservedRun, readRecord } from "../../src/diagnosis/record.ts";
import { type RecordedFault, recordedFaults, standsIn } from "./recorded-fault.ts";

/** How soon after the first sight of it a cause must be told (ms). */
const patienceMs = 10_000;

const faults = recordedFaults();

describe("a recorded fault is told in time, and nothing else is told at any moment", () => {
  test.each(faults.map((fault) => [fault.id, fault.cause, fault] as const))(
    "%s: %s",
    (_id, _cause, fault) => {
      const run = runOf(fault);
      const { knownMs } = fault.truth;
      const told = momentsOf(run, knownMs).map((ms) => ({
        ms,
        cause: diagnose(run.at(ms))?.cause ?? "none",
      }));
      expect(told.filter(({ cause }) => cause !== "none" && cause !== fault.cause)).toEqual([]);
      const late = told.filter(
        ({ ms, cause }) => knownMs !== null && ms >= knownMs + patienceMs && cause === "none",
      );
      expect(late).toEqual([]);
      checkEnd(fault, diagnose(run.at(run.endMs)));
    },
  );
});

function checkEnd(fault: RecordedFault, diagnosis: Diagnosis | undefined): void {
  const { cause, truth } = fault;
  expect(diagnosis?.cause ?? "none").toBe(cause);
  expect(diagnosis?.isTerminal ?? false).toBe(truth.terminal);
  if (diagnosis === undefined) return;
  const { message, nextStep, evidence } = diagnosis;
  expect(truth.mustMention.filter((word) => !message.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
  expect(nextStep).not.toBe("");
  expect(`${message} ${nextStep}`).not.toMatch(/exit code: \d/);
  expect(evidence).not.toEqual([]);
  expect(evidence.filter(({ in: part, text }) => !standsIn(fault, part, text))).toEqual([]);
}

function runOf({ id, record }: RecordedFault): ObservedRun {
  const run = readRecord(JSON.stringify(record), id);
  if (!run.ok) throw new Error(run.issues.map(({ message }) => message).join("; "));
  return run.value;
}

/** Each change, each second, and the last moment at which the cause may be told. */
function momentsOf({ changesMs, endMs }: ObservedRun, knownMs: number | null): readonly number[] {
  const seconds = Array.from({ length: Math.ceil(endMs / 1000) }, (_, index) => index * 1000);
  const latest = knownMs === null ? [] : [Math.min(knownMs + patienceMs, endMs)];
  return [...new Set([...changesMs, ...seconds, ...latest])].sort((a, b) => a - b);
}

test("the records have most causes that there are", () => {
  const recorded = new Set(faults.map(({ cause }) => cause));
  expect(Object.keys(causes).filter((cause) => recorded.has(cause)).length).toBeGreaterThan(90);
});
