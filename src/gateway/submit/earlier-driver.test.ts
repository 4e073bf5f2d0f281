import { describe, expect, test } from "vitest";
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

describe.each(["possible", "required"] as const)("a driver that is %s", (earlier) => {
  const path = "/api/v1/namespaces/ns/pods/drv";
  const metadata = { name: "drv", deletionTimestamp: "2026-01-01T00:00:30Z" };
  const terminating = { apiVersion: "v1", kind: "Pod", metadata };

  test("is not adopted while it is being deleted", async () => {
    const { api, client } = testClient();
    api.put(path, terminating);
    const reading = withEarlierDriver(client, earlier);
    await expect(reading.list({ type: podType, namespace: "ns" })).rejects.toThrow("is being deleted");
    await expect(reading.get(driverTarget)).rejects.toThrow("is being deleted");
  });

  test("is adopted if it had ended before its deletion", async () => {
    const { api, client } = testClient();
    api.put(path, { ...terminating, status: { phase: "Succeeded" } });
    expect(await withEarlierDriver(client, earlier).get(driverTarget)).toMatchObject({ metadata: { name: "drv" } });
  });
});
