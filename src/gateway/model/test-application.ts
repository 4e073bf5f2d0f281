import type { ApplicationRecord, GatewayApplication, Submission } from "./application.ts";

/** Submission of a jar without settings. */
export const testSubmission: Submission = {
  ...{ fields: {}, settings: {}, resource: "local:///a.jar", appArgs: [], templates: {} },
};

/** Returns the record of an application that has not been submitted yet. */
export function testRecord(changes: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return {
    ...{ key: "api-0", protocol: "api", id: "0", namespace: "jobs", podName: "pi-driver", priority: 0, number: 0 },
    ...{ acceptedMs: 0, attempt: 1, submission: testSubmission },
    ...changes,
  };
}

/** Returns a running application. */
export function testApplication(changes: Partial<GatewayApplication> = {}): GatewayApplication {
  return {
    ...{ record: testRecord(), state: "running", executors: [], submissionLog: [], isExplained: true },
    ...changes,
  };
}
