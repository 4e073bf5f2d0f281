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

function faultOf(record: unknown): RecordedFault {
  if (!isFields(record) || !isFields(record["truth"])) throw new Error("a recorded fault needs the field truth");
  const { knownMs, mustMention, terminal } = record["truth"];
  return {
    ...{ id: String(record["id"]), cause: String(record["cause"]), record },
    truth: {
      knownMs: typeof knownMs === "number" ? knownMs : null,
      mustMention: Array.isArray(mustMention) ? mustMention.map(String) : [],
      terminal: terminal === true,
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
