import { expect, test } from "vitest";
import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import { diagnosisJson, printDiagnosis, printDiagnosisJson } from "./print-diagnosis.ts";

const missing: Diagnosis = {
  cause: "secret-missing",
  isTerminal: true,
  message: 'The secret "keytab" does not exist.',
  nextStep: "Create it.",
  key: "some.key",
  evidence: [{ in: "event", text: 'secret "keytab" not found\nand more' }],
};

test("a diagnosis for a program is one line of JSON with fixed fields", () => {
  expect(printDiagnosisJson(missing).trimEnd()).not.toContain("\n");
  expect(JSON.parse(printDiagnosisJson(missing))).toEqual({
    ...{ cause: "secret-missing", terminal: true, message: missing.message, nextStep: "Create it." },
    ...{ key: "some.key", evidence: missing.evidence },
  });
});

test("nothing wrong is the cause none", () => {
  expect(diagnosisJson(undefined)).toMatchObject({ cause: "none", terminal: false, key: null, evidence: [] });
  expect(printDiagnosis(undefined)).toBe("Nothing is wrong with the driver.\n");
});

test("a person reads what is wrong first, then what to do and where it is seen", () => {
  expect(printDiagnosis(missing)).toBe(
    [
      'The secret "keytab" does not exist.',
      "  Cause   secret-missing (stays so until somebody changes something)",
      "  To do   Create it.",
      "  Setting some.key",
      '  Seen    event: secret "keytab" not found',
      "",
    ].join("\n"),
  );
});

test("what has passed is said to have passed", () => {
  const passed: Diagnosis = { ...missing, isTerminal: false, isResolved: true };
  expect(diagnosisJson(passed)).toMatchObject({ terminal: false, over: true });
  expect(printDiagnosis(passed)).toContain("it has passed");
});
