import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fields, isFields } from "../../src/values/fields.ts";

/** Fault that was recorded on a real cluster, with its known cause. */
export interface RecordedFault {
  readonly id: string;
  /** `none` for a healthy run. */
  readonly cause: string;
  readonly truth: {
    /** Time of the first decisive evidence, in ms after the start; null for a healthy run. */
    readonly knownMs: number | null;
    readonly mustMention: readonly string[];
    readonly terminal: boolean;
    /** Other causes that are true, too. */
    readonly also: readonly string[];
  };
  readonly record: Fields;
}

const directory = "test/golden/recorded/faults";

/** Reads the recorded faults of a group, such as `healthy`. @default all groups */
export function recordedFaults(group?: string): readonly RecordedFault[] {
  const files = group === undefined ? readdirSync(directory) : [`${group}.json`];
  return files.flatMap((name) => {
    const records: unknown = JSON.parse(readFileSync(join(directory, name), "utf8"));
    return Array.isArray(records) ? records.map(faultOf) : [];
  });
}

/** Directory of the records that `npm run record:faults` writes, one file per scenario. */
export const scenarioRecords = "test/golden/recorded/fault-scenarios";

/** Reads the recorded scenarios. */
export function recordedScenarios(): readonly RecordedFault[] {
  const files = readdirSync(scenarioRecords).filter((name) => name.endsWith(".json"));
  return files.sort().map((name) => faultOf(JSON.parse(readFileSync(join(scenarioRecords, name), "utf8"))));
}

/** Whether a scenario is only for testing: no rule may be written for it. Half of them are, by the hash of their names. */
export function isForTesting(id: string): boolean {
  return (createHash("sha256").update(`faults ${id}`).digest()[0] ?? 0) % 2 === 1;
}

function faultOf(record: unknown): RecordedFault {
  if (!isFields(record) || !isFields(record["truth"])) throw new Error("a recorded fault needs the field truth");
  const { knownMs, mustMention, terminal, also } = record["truth"];
  return {
    ...{ id: String(record["id"]), cause: String(record["cause"]), record },
    truth: {
      knownMs: typeof knownMs === "number" ? knownMs : null,
      mustMention: Array.isArray(mustMention) ? mustMention.map(String) : [],
      terminal: terminal === true,
      also: Array.isArray(also) ? also.map(String) : [],
    },
  };
}

/** Whether a part of a record contains a text: in one of its strings, or as the JSON of a field. */
export function contains({ record }: RecordedFault, part: string, text: string): boolean {
  const value = partsOf(record)[part];
  return stringsIn(value).some((one) => one.includes(text)) || JSON.stringify(value, null, 1).includes(text);
}

function partsOf(record: Fields): Readonly<Record<string, unknown>> {
  const timeline = Array.isArray(record["timeline"]) ? record["timeline"].filter(isFields) : [];
  return {
    pod: timeline.map(({ pod }) => pod),
    event: timeline.map(({ events }) => events),
    executor: timeline.map(({ executors }) => executors),
    log: record["log"],
    initLog: record["initLog"],
    sideCarLog: record["sideCarLog"],
    executorLog: record["executorLogs"],
    rejection: record["rejection"],
    object: record["objects"],
  };
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isFields(value) ? Object.entries(value).flatMap(([key, one]) => [key, ...stringsIn(one)]) : [];
}
