import { expect, test } from "vitest";
import { ownedBy } from "./owner-reference.ts";

test("a pod becomes the only owner of an object, whose other metadata stay", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "pi-driver", uid: "u-1" } };
  const other = { apiVersion: "v1", kind: "Pod", name: "old", uid: "u-0" };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", ownerReferences: [other] } };
  expect(ownedBy(map, pod).metadata).toEqual({
    name: "m",
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "pi-driver", uid: "u-1", controller: true }],
  });
});
