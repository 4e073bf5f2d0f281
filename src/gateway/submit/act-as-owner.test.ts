import { expect, test } from "vitest";
import { driverTarget, testClient } from "../../kube-client/test-client.ts";
import { actAsOwner } from "./act-as-owner.ts";

test("requests have the owner and its groups, except those that Kubernetes adds", async () => {
  const { client, api } = testClient();
  const ownerGroups = ["team", "system:authenticated", "system:serviceaccounts:jobs"];
  await actAsOwner(client, { owner: "alice", ownerGroups }).delete(driverTarget);
  expect(api.requests.at(-1)).toMatchObject({
    headers: { "impersonate-user": "alice" },
    repeatedHeaders: { "impersonate-group": ["team"] },
  });
});

test("an application without an owner has the gateway's permissions", () => {
  const { client } = testClient();
  expect(actAsOwner(client, { owner: undefined })).toBe(client);
});
