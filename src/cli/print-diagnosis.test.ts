import { expect, test } from "vitest";
import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import { diagnosisJson } from "../diagnosis/diagnosis-json.ts";
import { printDiagnosis, printDiagnosisJson } from "./print-diagnosis.ts";

const missing: Diagnosis = {
  cause: "secret-missing",
  isTerminal: true,
  message: 'The secret "keytab" does not exist.',
  nextStep: "Create it.",
  key: "some.key",
  evidence: [{ in: "event", text: 'secret "keytab" not found\nand more' }],
};

test("printDiagnosisJson prints one line of JSON with fixed fields", () => {
  expect(printDiagnosisJson(missing).trimEnd()).not.toContain("\n");
  expect(JSON.parse(printDiagnosisJson(missing))).toEqual({
    ...{ cause: "secret-missing", terminal: true, message: missing.message, nextStep: "Create it." },
    ...{ key: "some.key", evidence: missing.evidence },
  });
});

test("no diagnosis is the cause none", () => {
  expect(diagnosisJson(undefined)).toMatchObject({ cause: "none", terminal: false, key: null, evidence: [] });
  expect(printDiagnosis(undefined)).toBe("No problem found with the driver.\n");
});

test("printDiagnosis prints the problem, then the next step and the evidence", () => {
  expect(printDiagnosis(missing)).toBe(
    [
      'The secret "keytab" does not exist.',
      "  Cause   secret-missing (permanent without a change)",
      "  Next    Create it.",
      "  Setting some.key",
      '  Seen    event: secret "keytab" not found',
      "",
    ].join("\n"),
  );
});

test("a resolved problem is marked as resolved", () => {
  const resolved: Diagnosis = { ...missing, isTerminal: false, isResolved: true };
  expect(diagnosisJson(resolved)).toMatchObject({ terminal: false, over: true });
  expect(printDiagnosis(resolved)).toContain("(resolved)");
});
