import { describe, expect, test } from "vitest";
import { parseSubmitRequest } from "./parse-submit-request.ts";

const parse = (body: unknown) =>
  parseSubmitRequest(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

describe("parseSubmitRequest", () => {
  test("reads the ID, the arguments and the templates, and ignores other fields", () => {
    const templates = { driver: { spec: {} }, executor: null };
    const body = { submission_id: "a", spark_submit_args: ["x"], trace_id: 1 };
    expect(
      parse({ ...body, driver_pod_template: templates.driver, executor_pod_template: templates.executor }),
    ).toEqual({ ok: true, request: { submissionId: "a", args: ["x"], templates } });
  });

  test.each([
    [{ submission_id: "", spark_submit_args: [] }, ["submission_id is missing.", "spark_submit_args is empty."]],
    [{ submission_id: 7 }, ["submission_id must be a string.", "spark_submit_args is missing."]],
    [{ submission_id: "a", spark_submit_args: ["x", 7] }, ["spark_submit_args must be a list of strings."]],
    ["[]", ["The body must be a JSON object."]],
    ["", ["The body is not valid JSON."]],
    ["[".repeat(100), ["The body has more than 64 nested objects and arrays."]],
  ])("names everything that is wrong with %o", (body, problems) => {
    expect(parse(body)).toMatchObject({ ok: false, problems });
  });

  test("returns a valid ID with the problems of other fields", () => {
    expect(parse({ submission_id: "a" })).toMatchObject({ submissionId: "a" });
  });
});
