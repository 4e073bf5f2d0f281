import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { locateClaim, startProvisioner } from "./claims.ts";

function provisioned() {
  const host = testHost({ files: { "/claims": null } });
  const store = createMemoryStore(host);
  startProvisioner(store, host.files, "/claims");
  const volume = (name: string, size: string, spec: object = {}) =>
    store.create("persistentvolumes", {
      ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name } },
      spec: {
        ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: size } },
        ...{ hostPath: { path: `/data/${name}` }, storageClassName: "own", ...spec },
      },
      status: { phase: "Pending" },
    });
  const claim = (spec: object = {}) =>
    store.create("persistentvolumeclaims", {
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c", namespace: "ns" } },
      spec: {
        ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
        ...{ storageClassName: "own", ...spec },
      },
      status: { phase: "Pending" },
    });
  const phaseOf = (name: string) => store.get("persistentvolumes", undefined, name)?.["status"];
  const location = () => locateClaim(store, "/claims", { namespace: "ns", name: "c" });
  return { store, volume, claim, phaseOf, location };
}

test("binds a claim to the smallest volume that fits, and never reuses a released volume", () => {
  const { store, volume, claim, phaseOf, location } = provisioned();
  volume("small", "1Gi");
  volume("large", "10Gi");
  volume("right", "2Gi");
  volume("other", "2Gi", { storageClassName: "else" });
  volume("once", "2Gi", { accessModes: ["ReadOnlyMany"] });
  expect(phaseOf("right")).toEqual({ phase: "Available" });
  claim();
  expect(location()).toEqual({ hostPath: { path: "/data/right" } });
  expect(phaseOf("right")).toEqual({ phase: "Bound" });
  store.remove("persistentvolumeclaims", "ns", "c");
  expect(phaseOf("right")).toEqual({ phase: "Released" });
  claim();
  expect(location()).toEqual({ hostPath: { path: "/data/large" } });
});

test("waits for a volume if the claim names one or has an empty class; provisions a directory otherwise", () => {
  const named = provisioned();
  named.claim({ volumeName: "late" });
  expect(named.location()).toEqual({ problem: "PVC ns/c is not bound" });
  named.volume("late", "1Gi", { hostPath: undefined, local: { path: "/disk" } });
  expect(named.location()).toEqual({ hostPath: { path: "/disk", type: "Directory" } });
  const classless = provisioned();
  classless.claim({ storageClassName: "" });
  expect(classless.location()).toEqual({ problem: "PVC ns/c is not bound" });
  const usual = provisioned();
  const made = usual.claim();
  expect(usual.location()).toEqual({ path: `/claims/${made?.metadata.uid}` });
});

test("does not bind a volume that is reserved for another claim", () => {
  const { volume, claim, location } = provisioned();
  volume("meant", "2Gi", { claimRef: { namespace: "ns", name: "another" } });
  claim();
  expect(location()).toMatchObject({ path: expect.stringMatching(/^\/claims\//) });
});
