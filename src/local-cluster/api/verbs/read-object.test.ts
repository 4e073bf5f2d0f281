import { describe, expect, test } from "vitest";
import { configMap, statusOf, testCall } from "../test-call.ts";
import { readAction, readObject } from "./read-object.ts";

const warn = { dryRun: false, fieldManager: undefined, fieldValidation: "Warn", force: false } as const;

describe("the object of a request", () => {
  test("is completed with the kind of the path", () => {
    const call = testCall("configmaps", { body: { metadata: { name: "a" } } });
    expect(readObject(call, warn)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });

  test("has the defaults of its kind", () => {
    const call = testCall("secrets", { body: { metadata: { name: "a" }, stringData: { k: "v" } } });
    expect(readObject(call, warn)).toMatchObject({ type: "Opaque", data: { k: "dg==" } });
  });

  test("may be YAML, whose duplicate keys are warned of", () => {
    const body = "metadata: {name: a}\ndata: {}\ndata: {k: v}\n";
    const call = testCall("configmaps", { body, type: "application/yaml" });
    expect(readObject(call, warn)).toMatchObject({ data: { k: "v" } });
    expect(call.warnings).toEqual(['line 3: key "data" already set in map']);
  });

  test("loses duplicate owners with a warning", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    const call = testCall("configmaps", { body: configMap("a", {}, { ownerReferences: [owner, owner] }) });
    expect(readObject(call, warn).metadata.ownerReferences).toEqual([owner]);
    expect(call.warnings.join()).toContain("duplicate UID(s) observed: u");
  });

  test("with unknown fields is rejected, warned of or accepted, by the validation mode", () => {
    const read = (fieldValidation: "Strict" | "Warn" | "Ignore") => {
      const call = testCall("configmaps", { body: configMap("a", { extra: 1 }) });
      readObject(call, { ...warn, fieldValidation });
      return call.warnings;
    };
    expect(statusOf(() => read("Strict"))?.message).toContain('strict decoding error: unknown field "extra"');
    expect(read("Warn")).toEqual(['unknown field "extra"']);
    expect(read("Ignore")).toEqual([]);
  });
});

describe("an object that is not stored", () => {
  const kind = { group: "", version: "v1", kind: "Binding", plural: "bindings" };

  test("is decoded with its kind", () => {
    const call = testCall("pods", { body: { target: { name: "n" } } });
    expect(readAction(call, kind)).toMatchObject({ kind: "Binding", target: { name: "n" }, metadata: {} });
  });

  test.each<[object, string]>([
    [{ kind: "Pod", apiVersion: "v1" }, "unknown conversion"],
    [{ metadata: { namespace: "other" } }, "does not match the namespace sent on the request"],
    [{ target: 5 }, "cannot unmarshal number"],
  ])("is rejected: %j", (body, message) => {
    expect(statusOf(() => readAction(testCall("pods", { body }), kind))).toMatchObject({
      ...{ code: 400, message: expect.stringContaining(message) },
    });
  });
});
