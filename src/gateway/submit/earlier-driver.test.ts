import { expect, test } from "vitest";
import { driverPod, driverTarget, podType, testClient } from "../../kube-client/test-client.ts";
import { withEarlierDriver } from "./earlier-driver.ts";

test("without an earlier driver, none is looked for", async () => {
  const { api, client } = testClient();
  const { items } = await withEarlierDriver(client, "none").list({ type: podType, namespace: "ns" });
  expect(items).toEqual([]);
  expect(api.requestLines).toEqual([]);
});

test("a driver that must exist is not created again", async () => {
  const { api, client } = testClient();
  const creation = withEarlierDriver(client, "required").create({ ...driverTarget, object: driverPod });
  await expect(creation).rejects.toThrow("The driver was deleted meanwhile.");
  expect(api.requestLines).toEqual([]);
});
