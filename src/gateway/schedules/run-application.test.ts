import { expect, test } from "vitest";
import type { SparkApplication } from "../../spark-application/application.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { runApplication } from "./run-application.ts";

const sparkApplication: SparkApplication = {
  apiVersion: "sparkoperator.k8s.io/v1beta2",
  kind: "SparkApplication",
  metadata: { name: "etl" },
  spec: {
    ...{ type: "Python", sparkVersion: "4.0.1", mainApplicationFile: "local:///etl.py", driver: {}, executor: {} },
    restartPolicy: { type: "OnFailure", onFailureRetries: 2 },
  },
};

function record(changes: Partial<ScheduleRecord>): ScheduleRecord {
  return {
    ...{ key: "schedule-1", uid: "u-1", requestDigest: "", namespace: "jobs", name: "etl" },
    ...{ owner: "alice", ownerGroups: ["data"], queue: "nightly", isSuspended: false, createdMs: 0 },
    ...{ rules: { schedule: "@daily" }, application: sparkApplication },
    ...changes,
  };
}

function built(changes: Partial<ScheduleRecord>) {
  const result = runApplication(record(changes), 1_767_225_600_000);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

test("a run has the owner, the queue and the namespace of its schedule, and a name and a key of its time", () => {
  expect(built({})).toMatchObject({
    ...{ protocol: "api", name: "etl-1767225600000000000", owner: "alice", ownerGroups: ["data"], queue: "nightly" },
    ...{ idempotencyKey: "schedule/u-1/1767225600000", schedule: { uid: "u-1", name: "etl" } },
    submission: {
      fields: { name: "etl-1767225600000000000" },
      settings: {
        "spark.kubernetes.namespace": "jobs",
        "spark.kubernetes.driver.label.sparkoperator.k8s.io/scheduled-app-name": "etl",
      },
    },
    lifetime: { restartPolicy: { type: "OnFailure", onFailureRetries: 2 } },
  });
});

test("a run in the own format has the name of its time, too", () => {
  const application = { name: "etl", app: "local:///etl.py", conf: { "spark.executor.instances": 2 } };
  const { name, submission } = built({ application });
  expect([name, submission.fields.name]).toEqual(Array(2).fill("etl-1767225600000000000"));
  expect(submission.settings["spark.executor.instances"]).toBe("2");
});

test("two calls for one time build the same application", () => {
  expect(built({})).toEqual(built({}));
});
