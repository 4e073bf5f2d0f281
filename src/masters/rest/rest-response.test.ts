import { describe, expect, test } from "vitest";
import { parseRestResponse } from "./rest-response.ts";

const json = "application/json;charset=utf-8";

/** Parses a body of status 200: a type and a message, or a code and the reason. */
function response(body: unknown, { status = 200, contentType = json } = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const parsed = parseRestResponse({ status, contentType, text });
  return parsed.ok
    ? [parsed.value.type, parsed.value.message]
    : parsed.issues.map(({ code, causes = [] }) => [code, causes[0]])[0];
}

const status = { action: "SubmissionStatusResponse", serverSparkVersion: "4.3.0", submissionId: "d" };

describe("a response", () => {
  test("has its fields, and ignores unknown ones", () => {
    const text = JSON.stringify({ ...status, driverState: "RUNNING", success: true, more: { a: [] } });
    expect(parseRestResponse({ status: 200, contentType: "", text })).toEqual({
      ok: true,
      value: {
        ...{ type: "SubmissionStatusResponse", status: 200, success: true, message: undefined },
        ...{ submissionId: "d", driverState: "RUNNING", workerId: undefined, workerHostPort: undefined },
        serverSparkVersion: "4.3.0",
      },
    });
  });

  test.each([
    ["", "com.fasterxml.jackson.core.JsonParseException: the body is empty"],
    ...["[]", "null", "{}"].map((text): [string, string] => [
      text,
      `org.apache.spark.deploy.rest.SubmitRestMissingFieldException: Action field not found in JSON:\n${text}`,
    ]),
    [
      { action: "CreateSubmissionRequest" },
      "org.apache.spark.deploy.rest.SubmitRestProtocolException: Message received from server was not a response",
    ],
    [
      { ...status, success: "perhaps" },
      "org.apache.spark.deploy.rest.SubmitRestProtocolException: Validation of message SubmissionStatusResponse failed!",
    ],
    [
      { ...status, submissionId: {}, success: true },
      "org.apache.spark.deploy.rest.SubmitRestProtocolException: Validation of message SubmissionStatusResponse failed!",
    ],
    [
      { action: "ErrorResponse", serverSparkVersion: "1" },
      "org.apache.spark.deploy.rest.SubmitRestProtocolException: Validation of message ErrorResponse failed!",
    ],
  ])("is malformed: %j", (body, cause) => {
    expect(response(body)).toEqual(["SUBMIT_ERR_REST_MALFORMED", cause]);
  });

  test("does not accept the name of a Java object's method", () => {
    expect(response({ action: "toString", serverSparkVersion: "1" })).toEqual([
      "SUBMIT_ERR_REST_RESPONSE_UNKNOWN",
      "java.lang.ClassNotFoundException: org.apache.spark.deploy.rest.toString",
    ]);
  });

  test("may be an HTTP error with JSON, a page, or no body", () => {
    expect(response({ action: "ErrorResponse", message: "no" }, { status: 400 })).toEqual(["ErrorResponse", "no"]);
    const page = "<html><head><title>x</title></head><body><h2>HTTP ERROR 405</h2>\n<p>not so</p></body></html>";
    expect(response(page, { status: 405, contentType: "text/html" })).toEqual([
      "ErrorResponse",
      "HTTP ERROR 405 not so",
    ]);
    expect(response("", { status: 204 })).toEqual(["ErrorResponse", "no reason given"]);
    expect(response({ message: "trouble" }, { status: 500 })).toEqual(["ErrorResponse", "trouble"]);
  });

  test.each(["<", "<head", "<head><style>", " "])("is parsed in linear time if it is a page of many %j", (part) => {
    expect(response(`<${part.repeat(400_000)}`, { status: 404 })).toContain("ErrorResponse");
  });
});

test("a page of any form is searched in a moment, and cut", () => {
  for (const part of ["<style>", "<", "<x ", " ", "\n", "<script>x</script"]) {
    const parsed = parseRestResponse({ status: 503, contentType: "text/html", text: `<p>busy${part.repeat(500_000)}` });
    expect(parsed.ok && (parsed.value.message?.length ?? 0)).toBeLessThan(17_000);
  }
});
