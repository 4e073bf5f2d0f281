import { expect, test } from "vitest";
import type { Setting } from "../conf/setting.ts";
import { newestLine, newestRelease } from "../conf/spark-version.ts";
import { orThrow } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { parseKubernetesMaster } from "../plan/master.ts";
import { openDestination } from "./open-destination.ts";

async function eventLogSettings(own: Readonly<Record<string, string>>) {
  const settings = new Map(
    Object.entries(own).map(([key, value]): [string, Setting] => [key, { key, value, origin: { kind: "conf" } }]),
  );
  const entered = await openDestination(
    {
      host: testHost(),
      master: orThrow(parseKubernetesMaster("k8s://embedded", { masterAddress: "checked" })),
      read: { settings, ignored: [], files: [], defaultsFile: undefined, warnings: [], issues: [] },
      version: { line: newestLine, text: newestRelease(newestLine).text },
    },
    async () => ({
      ...{ url: "https://127.90.0.1:1", certificateAuthority: "", token: "", driverMaster: "", machineName: undefined },
      defaults: {
        image: "spark:4.3.0",
        serviceAccountName: "spark",
        uploadPath: "/up",
        eventLogs: "/cache/event-logs",
      },
    }),
  );
  return ["spark.eventLog.enabled", "spark.eventLog.dir"].map((key) => entered.settings.get(key)?.value);
}

test.each([
  [{}, ["true", "file:///cache/event-logs"]],
  [{ "spark.eventLog.enabled": "true" }, ["true", "file:///cache/event-logs"]],
  [{ "spark.eventLog.enabled": "false" }, ["false", undefined]],
  [{ "spark.eventLog.dir": "/own" }, [undefined, "/own"]],
])("%#: event logs are on by default, and the user's settings have precedence", async (own, expected) => {
  expect(await eventLogSettings(own)).toEqual(expected);
});
