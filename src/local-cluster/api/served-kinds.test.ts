import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { definitionsCollection } from "./definitions/definition.ts";
import { createMemoryStore } from "./memory-store.ts";
import { serveKinds, tableGroups } from "./served-kinds.ts";

const definition = (plural: string, versions: readonly object[], status = "True") => ({
  ...{
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
  },
  spec: { group: "example.com", names: { plural, kind: plural }, scope: "Cluster", versions },
  status: {
    conditions: [{ type: "Established", status }],
    acceptedNames: { plural, kind: plural },
    storedVersions: ["v1"],
  },
});

const versions = [
  { name: "v1", served: false, storage: true },
  { name: "v1beta1", served: true, storage: false },
  { name: "v2", served: true, storage: false },
];

test("serves the versions of established definitions, also of those that are already stored", () => {
  const store = createMemoryStore(testHost());
  store.create(definitionsCollection, definition("as", versions));
  const kinds = serveKinds(store);
  expect([kinds.versionsOf("example.com"), kinds.groups()]).toEqual([
    ["v2", "v1beta1"],
    [...tableGroups, "example.com"],
  ]);
  expect(kinds.find("example.com", "v1", "as")).toBeUndefined();
  expect(kinds.find("example.com", "v2", "as")).toMatchObject({ kind: "as", namespaced: false });
  expect(kinds.ofCollection("as.example.com")).toMatchObject({ version: "v1" });
  store.create(definitionsCollection, definition("bs", versions, "False"));
  expect(kinds.find("example.com", "v2", "bs")).toBeUndefined();
  store.remove(definitionsCollection, undefined, "as.example.com");
  expect([kinds.versionsOf("example.com"), kinds.groups()]).toEqual([[], tableGroups]);
});

test("prefers the kinds of the table", () => {
  const store = createMemoryStore(testHost());
  const kinds = serveKinds(store);
  const jobs = definition("jobs", [{ name: "v1", served: true, storage: true }]);
  const metadata = { name: "jobs.batch" };
  store.create(definitionsCollection, { ...jobs, metadata, spec: { ...jobs.spec, group: "batch" } });
  expect(kinds.find("batch", "v1", "jobs")).toMatchObject({ kind: "Job" });
  expect(kinds.all().filter(({ plural }) => plural === "jobs")).toHaveLength(1);
});
