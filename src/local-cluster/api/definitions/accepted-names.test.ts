import { expect, test } from "vitest";
import { acceptNames } from "./accepted-names.ts";
import type { Definition } from "./definition.ts";

const definition = (names: object, acceptedNames: object = {}): Definition => ({
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: {} },
  spec: { group: "g", names: { plural: "as", kind: "A", ...names }, scope: "Cluster", versions: [] },
  status: { conditions: null, acceptedNames: { plural: "", kind: "", ...acceptedNames }, storedVersions: null },
});

test("accepts free names and reports the last conflict", () => {
  const other = definition({}, { plural: "bs", singular: "a", kind: "B", listKind: "AList" });
  const requested = definition({ singular: "a", listKind: "AList", shortNames: ["bs", "c"], categories: ["all"] });
  expect(acceptNames(requested, [requested, other])).toEqual({
    names: { plural: "as", kind: "A", categories: ["all"] },
    conflict: { reason: "ListKindConflict", message: '"AList" is already in use' },
  });
});

test("accepts its own names again", () => {
  const names = { plural: "as", singular: "a", kind: "A", listKind: "AList", shortNames: ["x"] };
  const own = definition(names, names);
  expect(acceptNames(own, [own])).toEqual({ names, conflict: undefined });
});
