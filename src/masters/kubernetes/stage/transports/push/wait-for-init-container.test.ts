import { expect, test } from "vitest";
import { testHost } from "../../../../../host/test-host.ts";
import { kubeClient } from "../../../../../kube-client/client.ts";
import { refused, testApi } from "../../../../../kube-client/test-api.ts";
import { testDriver } from "../../../../../plan/test-driver.ts";
import { waitForInitContainer } from "./wait-for-init-container.ts";

test("latest throws the error of the watch, after access to the pod is denied", async () => {
  const { transport } = testApi(() => refused(403, "no pods for you"));
  const host = testHost();
  const pod = { metadata: { name: "driver", namespace: "ns", uid: "u" }, status: { phase: "Pending" } };
  const client = kubeClient({
    ...{ transport, server: "https://api", clock: host.clock, requestTimeoutMs: 0, log: () => {} },
  });
  const driver = testDriver();
  const call = {
    host,
    client,
    driver,
    resources: [],
    userSteps: [],
    behaviors: driver.behaviors,
    log() {},
    onEarlyEnd() {},
  };
  const awaited = waitForInitContainer(call, pod);
  await host.settle(new Promise((resolve) => awaited.signal.addEventListener("abort", resolve, { once: true })));
  expect(awaited.latest).toThrow("no pods for you");
  awaited.stop();
});
