/** Measures how often the diagnosis of recorded scenarios is right. */
import { diagnose } from "../../src/diagnosis/diagnose.ts";
import { type ObservedRun, readRecord } from "../../src/diagnosis/record.ts";
import { isForTesting, type RecordedFault } from "./recorded-fault.ts";

/** Diagnosis of one scenario. */
export interface ScenarioResult {
  readonly id: string;
  /** True cause; `none` for a healthy run. */
  readonly cause: string;
  /** Cause at the end of the record. */
  readonly found: string;
  /** Other causes than the true one, at any time. */
  readonly wrong: readonly string[];
}

/** Counts of a half of the scenarios. */
export interface Accuracy {
  readonly faults: number;
  readonly healthy: number;
  /** Faults whose true cause is diagnosed at the end of the record. */
  readonly right: number;
  /** Scenarios for which another cause than the true one is diagnosed at any time. */
  readonly wrong: number;
  /** Right diagnoses among all. */
  readonly precision: number;
  /** Right diagnoses among the faults. */
  readonly recall: number;
}

/** Diagnoses a scenario at each change and each second of its record. */
export function resultOf(fault: RecordedFault): ScenarioResult {
  const { id, cause, record } = fault;
  const run = readRecord(JSON.stringify(record), id);
  if (!run.ok) throw new Error(run.issues.map(({ message }) => message).join("; "));
  const causes = timesOf(run.value).map((ms) => diagnose(run.value.at(ms))?.cause ?? "none");
  const found = causes.at(-1) ?? "none";
  return {
    id,
    cause,
    found,
    wrong: [...new Set(causes)].filter((one) => !["none", cause, ...fault.truth.also].includes(one)),
  };
}

/** Lists the times to check: each change, each second, and the end. */
export function timesOf({ changesMs, endMs }: ObservedRun): readonly number[] {
  const seconds = Array.from({ length: Math.ceil(endMs / 1000) }, (_, index) => index * 1000);
  return [...new Set([...changesMs, ...seconds, endMs])].filter((ms) => ms <= endMs).sort((a, b) => a - b);
}

/** Splits results into those of the scenarios for which rules may be written, and those only for testing. */
export function halvesOf(results: readonly ScenarioResult[]) {
  const testing = results.filter(({ id }) => isForTesting(id));
  return { development: results.filter((result) => !testing.includes(result)), testing };
}

/** Counts right and wrong diagnoses. */
export function accuracyOf(results: readonly ScenarioResult[]): Accuracy {
  const faults = results.filter(({ cause }) => cause !== "none");
  const right = faults.filter(({ cause, found }) => found === cause).length;
  const wrong = results.filter((result) => result.wrong.length > 0).length;
  return {
    ...{ faults: faults.length, healthy: results.length - faults.length, right, wrong },
    ...{ precision: right / (right + wrong), recall: right / faults.length },
  };
}
