import { expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { openApiDocument } from "./openapi.ts";

const schemas = (group: string) => {
  const { components } = openApiDocument(testApi().scope.kinds, { group, version: "v1" });
  return JSON.parse(JSON.stringify(components)).schemas;
};

test("lists required fields and types that are not plain strings", () => {
  const core = schemas("");
  expect(core["io.k8s.api.core.v1.ContainerPort"]).toMatchObject({
    properties: { containerPort: { type: "integer", format: "int32" } },
    required: ["containerPort"],
  });
  expect(core["io.k8s.api.core.v1.Event"].required).toEqual(["involvedObject", "metadata"]);
  const reference = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/io.k8s.${name}` }] });
  expect(core["io.k8s.api.core.v1.ServicePort"].properties.targetPort).toEqual(
    reference("apimachinery.pkg.util.intstr.IntOrString"),
  );
  expect(core["io.k8s.api.core.v1.ResourceRequirements"].properties.limits.additionalProperties).toEqual(
    reference("apimachinery.pkg.api.resource.Quantity"),
  );
});

test("describes a kind the same when another contains it", () => {
  const claim = "io.k8s.api.core.v1.PersistentVolumeClaim";
  expect(schemas("apps")[claim]).toEqual(schemas("")[claim]);
});

test("references only schemas that it defines", () => {
  for (const group of ["", "apps", "batch", "policy"]) {
    const known = schemas(group);
    const references = JSON.stringify(known).match(/#\/components\/schemas\/[^"]+/g) ?? [];
    expect(references.filter((path) => known[path.slice(path.lastIndexOf("/") + 1)] === undefined)).toEqual([]);
  }
});
