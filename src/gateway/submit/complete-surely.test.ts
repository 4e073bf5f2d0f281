import { expect, test } from "vitest";
import { ownedBy } from "../../kube/owner-reference.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { type Fault, refused } from "../../kube-client/test-api.ts";
import { driverPod, driverTarget, testClient } from "../../kube-client/test-client.ts";
import { completeSurely } from "./complete-surely.ts";

const service = ownedBy({ apiVersion: "v1", kind: "Service", metadata: { name: "svc" } }, driverPod);
const call = { type: resourceTypes.service, namespace: "ns", object: service };

function setUp(fault: Fault) {
  const { client, api, clock } = testClient(fault);
  const ending = new AbortController();
  const rolledBack: string[] = [];
  const host = {
    clock,
    random: { bytes: (count: number) => new Uint8Array(count), uuid: () => "", fraction: () => 0 },
  };
  const onRollBack = (uid: string) => void rolledBack.push(uid);
  const application = { isDone: false };
  const dependencies = {
    ...{ host, key: "api-1", log: () => {}, ending: ending.signal, isDone: () => application.isDone },
    ...{ onRollBack, onDriverRequest: () => {}, onRejected: () => {} },
  };
  return { api, clock, ending, rolledBack, application, client: completeSurely(client.withoutRetries(), dependencies) };
}

test("an object that a driver owns is applied until the API accepts it", async () => {
  let failures = 3;
  const { client, clock } = setUp(() => (failures-- > 0 ? refused(503, "starting") : undefined));
  expect(await clock.settle(client.apply(call))).toMatchObject({ created: true });
});

test("a rejected object ends the submission, whose driver is deleted", async () => {
  const { client, rolledBack } = setUp(({ method }) => (method === "PATCH" ? refused(403, "no Services") : undefined));
  await expect(client.apply(call)).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
  await client.delete({ ...driverTarget, uid: "1" });
  expect(rolledBack).toEqual(["1"]);
});

test("a submission that the gateway leaves when it stops is not rolled back", async () => {
  const { client, ending, api, rolledBack } = setUp(() => refused(503, "stopping"));
  ending.abort();
  await expect(client.apply(call)).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_REJECTED" });
  await expect(client.delete({ ...driverTarget, uid: "1" })).rejects.toThrow("not rolled back");
  expect([api.requestLines.length, rolledBack]).toEqual([1, []]);
});

test("an object of an application that has ended is not applied again, and its driver is left", async () => {
  const { client, application, api, rolledBack } = setUp(() => refused(503, "failing"));
  application.isDone = true;
  await expect(client.apply(call)).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_REJECTED" });
  await expect(client.delete({ ...driverTarget, uid: "1" })).rejects.toThrow("not rolled back");
  expect([api.requestLines.length, rolledBack]).toEqual([1, []]);
});
