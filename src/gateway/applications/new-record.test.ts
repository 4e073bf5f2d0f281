import { expect, test } from "vitest";
import { nodeHost } from "../../host/node-host.ts";
import { newRecord } from "./new-record.ts";

test("an application is in the queue of its protocol, else in that of the option --queue", () => {
  const submission = {
    fields: { queue: "nightly" },
    settings: {},
    resource: "local:///a.jar",
    appArgs: [],
    templates: {},
  };
  const queueOf = (queue?: string) =>
    newRecord({ protocol: "submitter", id: "a", queue, submission }, { host: nodeHost(), number: 1, namespace: "jobs" })
      .queue;
  expect([queueOf(), queueOf("etl")]).toEqual(["nightly", "etl"]);
});
