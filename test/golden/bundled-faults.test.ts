import { expect, test } from "vitest";
import { diagnose } from "../../src/diagnosis/diagnose.ts";
import type { Observation } from "../../src/diagnosis/observation.ts";
import { readRecord } from "../../src/diagnosis/record.ts";
import { recordOf } from "../../src/diagnosis/record-of.ts";
import { redactorOf } from "../../src/diagnosis/redact-observation.ts";
import { recordedFaults } from "./recorded-fault.ts";

function read(record: unknown) {
  const run = readRecord(JSON.stringify(record), "record.json");
  if (!run.ok) throw new Error(run.issues.map(({ message }) => message).join("; "));
  return run.value;
}

/** Stores an observation as a bundle does, and reads it again. */
function stored(observation: Observation): Observation {
  const record = recordOf(redactorOf(observation).observation(observation), new Date(observation.now).toISOString());
  const run = read(record);
  return run.at(run.endMs);
}

test.each(recordedFaults().map(({ id, record }) => [id, record] as const))(
  "%s: the diagnosis of a bundle is that of the application, also in the middle",
  (_id, record) => {
    const run = read(record);
    for (const ms of run.changesMs) {
      const observation = run.at(ms);
      expect(diagnose(stored(observation))).toEqual(diagnose(observation));
    }
  },
);
