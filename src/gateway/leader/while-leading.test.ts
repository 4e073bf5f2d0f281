import { expect, test } from "vitest";
import { driverTarget, testClient } from "../../kube-client/test-client.ts";
import { whileLeading } from "./while-leading.ts";

const isRejected = { code: "SUBMIT_ERR_GATEWAY_NOT_LEADING" };

test("a client whose gateway does not lead any more reads, but sends no change", async () => {
  const { client, api } = testClient();
  const fenced = whileLeading(client, () => false);
  await fenced.list({ type: driverTarget.type, namespace: "ns" });
  const before = api.requests.length;
  await expect(fenced.delete(driverTarget)).rejects.toMatchObject(isRejected);
  expect(api.requests).toHaveLength(before);
});

test("a change during which the leadership ends counts as failed", async () => {
  const { client, api } = testClient();
  let isLeading = true;
  const leaving = client.withTransport((transport) => async (request) => {
    isLeading = false;
    return transport(request);
  });
  await expect(whileLeading(leaving, () => isLeading).delete(driverTarget)).rejects.toMatchObject(isRejected);
  expect(api.requests).toHaveLength(1);
});

test("a change that waits for a connection is stopped when the leadership ends", async () => {
  const { client } = testClient();
  let isLeading = true;
  const stopped: (boolean | undefined)[] = [];
  const waiting = client.withTransport((transport) => async (request) => {
    stopped.push(request.signal?.aborted);
    isLeading = false;
    stopped.push(request.signal?.aborted);
    return transport(request);
  });
  await expect(whileLeading(waiting, () => isLeading).delete(driverTarget)).rejects.toMatchObject(isRejected);
  expect(stopped).toEqual([false, true]);
});
