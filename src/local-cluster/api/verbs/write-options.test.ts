import { describe, expect, test } from "vitest";
import { statusOf } from "../test-call.ts";
import { rawBody } from "../wire/body.ts";
import { deleteOptions, writeOptions } from "./write-options.ts";

const query = (text: string) => new URLSearchParams(text);

describe("the options of a write", () => {
  test("have defaults", () => {
    expect(writeOptions(query(""), "CreateOptions")).toEqual({
      ...{ dryRun: false, fieldManager: undefined, fieldValidation: "Warn", force: false },
    });
  });

  test("are parsed from the query", () => {
    const text = "dryRun=All&fieldManager=m&fieldValidation=Strict&force=true";
    expect(writeOptions(query(text), "PatchOptions", { isApply: true })).toEqual({
      ...{ dryRun: true, fieldManager: "m", fieldValidation: "Strict", force: true },
    });
  });

  test.each([
    ["dryRun=Some", 'dryRun: Unsupported value: ["Some"]'],
    ["fieldValidation=Loose", 'fieldValidation: Unsupported value: "Loose"'],
    ["force=true", "force: Forbidden: may not be specified for non-apply patch"],
    [`fieldManager=${"m".repeat(129)}`, "fieldManager: Too long: may not be more than 128 bytes"],
    ["fieldManager=a%07", "fieldManager: Invalid value"],
  ])("are rejected: %s", (text, message) => {
    expect(statusOf(() => writeOptions(query(text), "PatchOptions"))).toMatchObject({
      ...{ code: 422, message: expect.stringContaining(message) },
    });
  });

  test("require a field manager for apply", () => {
    expect(statusOf(() => writeOptions(query(""), "PatchOptions", { isApply: true }))?.message).toContain(
      "fieldManager: Required value: is required for apply patch",
    );
  });
});

describe("the options of a deletion", () => {
  const inBody = (body: object) => deleteOptions(query(""), rawBody(JSON.stringify(body), "application/json"));

  test("come from the query if there is no body", () => {
    const text = "gracePeriodSeconds=3&propagationPolicy=Foreground";
    expect(deleteOptions(query(text), rawBody(undefined, undefined))).toMatchObject({
      ...{ gracePeriodSeconds: 3, propagationPolicy: "Foreground", dryRun: false },
    });
  });

  test("come from the body only, even if it is empty", () => {
    const text = "gracePeriodSeconds=3";
    expect(deleteOptions(query(text), rawBody("{}", "application/json")).gracePeriodSeconds).toBeUndefined();
    expect(inBody({ preconditions: { uid: "u", resourceVersion: "1" }, orphanDependents: true })).toMatchObject({
      ...{ uid: "u", resourceVersion: "1", propagationPolicy: "Orphan" },
    });
  });

  test.each<[object, number, string]>([
    [{ propagationPolicy: "Some" }, 422, 'propagationPolicy: Unsupported value: "Some"'],
    [{ propagationPolicy: "Orphan", orphanDependents: true }, 422, "cannot be both set"],
    [{ dryRun: "All" }, 400, "cannot unmarshal string"],
    [{ kind: "Pod", apiVersion: "v1" }, 400, "unknown conversion"],
  ])("are rejected: %j", (body, code, message) => {
    expect(statusOf(() => inBody(body))).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
