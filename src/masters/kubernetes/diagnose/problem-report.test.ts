import { expect, test } from "vitest";
import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import { initialReport, nextReport } from "./problem-report.ts";

const problem: Diagnosis = {
  cause: "insufficient-cpu",
  isTerminal: false,
  message: "No CPU is free.",
  nextStep: "Request less.",
  evidence: [],
};

test("a problem is logged as resolved after five seconds without it, or immediately if the diagnosis says so", () => {
  const { report } = nextReport(initialReport, problem, 0);
  const absent = nextReport(report, undefined, 1000);
  expect(absent.text).toBeUndefined();
  expect(nextReport(absent.report, undefined, 6000).text?.lines).toEqual(["Resolved: No CPU is free."]);
  expect(nextReport(report, { ...problem, isResolved: true }, 1000).text?.level).toBe("INFO");
});

test("a short interruption restarts the time until the resolution", () => {
  const { report } = nextReport(initialReport, problem, 0);
  const absent = nextReport(report, undefined, 1000).report;
  const again = nextReport(absent, problem, 3000);
  expect(again.text).toBeUndefined();
  expect(nextReport(again.report, undefined, 7000).text).toBeUndefined();
});
