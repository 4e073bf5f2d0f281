import { expect, test } from "vitest";
import { resourceTypes } from "../../kube/resources.ts";
import { type Fault, socketError } from "../../kube-client/test-api.ts";
import { driverPod, driverTarget, testClient } from "../../kube-client/test-client.ts";
import { keepDriver } from "./keep-driver.ts";

const deletion = "DELETE /api/v1/namespaces/ns/pods/drv";
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf" } };
const configMapCall = { type: resourceTypes.configMap, namespace: "ns", object: configMap };

/** Creates a driver and then a ConfigMap, and rolls back if one of them fails. */
async function submit(fault: Fault) {
  const { api, client, clock } = testClient(fault);
  const keeping = keepDriver(client);
  const work = async () => {
    try {
      await keeping.create({ ...driverTarget, object: driverPod });
      await keeping.apply(configMapCall);
    } catch {
      await keeping.delete(driverTarget);
    }
  };
  await clock.settle(work());
  return api;
}

test("keeps the driver if the API fails after it was created", async () => {
  const api = await submit(({ method }) => {
    if (method === "PATCH") throw socketError("ECONNREFUSED");
    return undefined;
  });
  expect(api.requestLines).not.toContain(deletion);
});

test("keeps a driver whose creation got no response", async () => {
  const api = await submit(({ method }) => {
    if (method === "POST") throw socketError("ECONNRESET");
    return undefined;
  });
  expect(api.requestLines).not.toContain(deletion);
});

test("rolls back the driver if the API rejects another object", async () => {
  const api = await submit(({ method }) => (method === "PATCH" ? { status: 403 } : undefined));
  expect(api.requestLines).toContain(deletion);
});
