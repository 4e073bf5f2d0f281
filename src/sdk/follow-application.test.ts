import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "../kube-client/client.ts";
import { testApi } from "../kube-client/test-api.ts";
import { uploadsAnnotation } from "../plan/uploads-annotation.ts";
import { driverWatch } from "./driver-watch.ts";
import { followApplication } from "./follow-application.ts";
import { toCommandLine } from "./to-invocation.ts";

const succeeded: Pod = {
  metadata: { name: "etl", namespace: "jobs", uid: "u", annotations: { [uploadsAnnotation]: "[]" } },
  spec: { containers: [{ name: "spark-kubernetes-driver" }] },
  status: { phase: "Succeeded" },
};

/** Follows a driver whose uploads cannot be removed. */
function following() {
  const host = testHost();
  const { clock, random } = host;
  const logged: string[] = [];
  const log = (...[level, , text]: readonly string[]) => void logged.push(`${level} ${text}`);
  const { transport } = testApi(() => undefined);
  const client = kubeClient({ transport, clock, server: "https://api", requestTimeoutMs: 5000, log: () => {} });
  const cluster = { client, watch: () => driverWatch({ client, clock, random, log, namespace: "jobs" }) };
  const call = {
    ...{ host, log, cluster, pod: succeeded, openClient: async () => client },
    commandLine: toCommandLine({}).commandLine,
    removeUploads: async () => {
      throw new Error("bucket away");
    },
    archive: async () => {},
  };
  return { application: followApplication(call, () => {}), logged };
}

test("a failed removal of uploads is logged once, and each wait returns the outcome", async () => {
  const { application, logged } = following();
  expect(await application.wait()).toMatchObject({ state: "succeeded" });
  expect(await application.wait()).toMatchObject({ state: "succeeded" });
  expect(logged).toEqual(["WARN The uploads of etl could not be removed: bucket away"]);
});
