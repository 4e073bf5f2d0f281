import { describe, expect, test } from "vitest";
import { ownedBy, ownerReferenceTo } from "./owner-reference.ts";

describe("owner references", () => {
  test("name a created pod as controller", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "pi-driver", uid: "u-1" } };
    expect(ownerReferenceTo(pod)).toEqual({
      apiVersion: "v1",
      controller: true,
      kind: "Pod",
      name: "pi-driver",
      uid: "u-1",
    });
  });

  test("do not exist before the pod does", () => {
    expect(ownerReferenceTo({ metadata: { name: "pi-driver" } })).toBeUndefined();
  });

  test("replace every other owner of an object and keep the rest of its metadata", () => {
    const owner = { apiVersion: "v1", controller: true, kind: "Pod", name: "pi-driver", uid: "u-1" };
    const other = { apiVersion: "v1", kind: "Pod", name: "old", uid: "u-0" };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", ownerReferences: [other] } };
    expect(ownedBy(map, owner).metadata).toEqual({ name: "m", ownerReferences: [owner] });
  });
});
