import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leavesOf } from "./leaves.ts";

const base = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
const pathsOf = (spec: object) =>
  leavesOf({ ...base, spec })
    .filter(({ path }) => path.startsWith("spec"))
    .map(({ path, value }) => [path, value]);

describe("leavesOf", () => {
  test("names list items by their key, which is then not a field", () => {
    const containers = [{ name: "c", env: [{ name: "A", value: "1" }], args: ["x"] }];
    expect(pathsOf({ containers, imagePullSecrets: [{ name: "s" }] })).toEqual([
      ["spec.containers[c].name", "c"],
      ["spec.containers[c].env[A].value", "1"],
      ["spec.containers[c].args[0]", "x"],
      ["spec.imagePullSecrets[s].name", "s"],
    ]);
  });

  test("returns indexed paths, and one name for the main container of every pod", () => {
    const env = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    const leaves = leavesOf({ ...base, spec: { containers: [{ name: "side" }, { name: "c", env }] } });
    expect(leaves.at(-1)).toEqual({
      id: "spec.containers[main].env[A#2].value",
      path: "spec.containers[c].env[A#2].value",
      indexed: "spec.containers[1].env[1].value",
      value: "2",
    });
  });

  test("returns scalars and empty values", () => {
    expect(pathsOf({ a: {}, b: [], c: 1, d: true, e: null, f: undefined })).toEqual([
      ["spec.a", {}],
      ["spec.b", []],
      ["spec.c", 1],
      ["spec.d", true],
      ["spec.e", null],
    ]);
  });

  test("returns the settings of spark.properties", () => {
    const data = { "spark.properties": "#c\nspark.a=1\nspark.b=x\\:y\n", other: "t" };
    expect(leavesOf({ ...base, kind: "ConfigMap", data }).slice(-3)).toMatchObject([
      { path: "data[spark.properties][spark.a]", value: "1" },
      { path: "data[spark.properties][spark.b]", value: "x:y" },
      { path: "data.other", value: "t" },
    ]);
  });

  test("omits values from the names of Java options", () => {
    const env = [{ name: "SPARK_JAVA_OPT_3", value: "-Dkey=hush" }];
    const [leaf] = leavesOf({ ...base, spec: { containers: [{ env }] } }).slice(-1);
    expect(leaf?.path).toBe("spec.containers[0].env[SPARK_JAVA_OPT_*: -Dkey].value");
  });

  test("returns unique IDs", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ name: fc.constantFrom("a", "b"), value: fc.string() })), (env) => {
        const ids = leavesOf({ ...base, spec: { containers: [{ name: "c", env }] } }).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});
