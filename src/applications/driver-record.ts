import type { Pod } from "../kube/types.ts";
import type { UserStep } from "../spec/user-steps/user-step.ts";
import { isFields } from "../values/fields.ts";

/** Annotation of the driver's pod by which `firesteel apply` recognizes the run of a file. */
const annotation = "firesteel.dev/application";

/** Data of a run that is stored with its driver. */
export interface DriverRecord {
  readonly application: string;
  readonly digest: string;
  /** Submissions so far, including this one, and those that succeeded. */
  readonly submissionAttempts: number;
  readonly executionAttempts: number;
}

/** Reads the record of a driver; `undefined` if `firesteel apply` did not create it. */
export function driverRecord({ metadata }: Pod): DriverRecord | undefined {
  const value = parseJson(metadata?.annotations?.[annotation]);
  return isRecord(value) ? value : undefined;
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is DriverRecord {
  if (!isFields(value)) return false;
  const { application, digest, submissionAttempts, executionAttempts } = value;
  return (
    typeof application === "string" &&
    typeof digest === "string" &&
    Number.isInteger(submissionAttempts) &&
    Number.isInteger(executionAttempts)
  );
}

/** Returns the step that stores a record with the driver, and gives it labels. */
export function recordStep(record: DriverRecord, labels: Readonly<Record<string, string>> = {}): UserStep {
  return { name: "Apply", contribute: () => ({ annotations: { [annotation]: JSON.stringify(record) }, labels }) };
}
