import { describe, expect, test } from "vitest";
import { parseCreateRequest } from "./parse-create-request.ts";

const request = {
  action: "CreateSubmissionRequest",
  clientSparkVersion: "4.3.0",
  appResource: "local:///opt/app.jar",
  mainClass: "Main",
  appArgs: ["a"],
  sparkProperties: { "spark.app.name": "app" },
  environmentVariables: { A: "b" },
};

function parse(body: unknown, line: "3.5" | "4.3" = "4.3") {
  return parseCreateRequest(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), line);
}

function messageOf(body: unknown, line?: "3.5" | "4.3"): string {
  const parsed = parse(body, line);
  return parsed.ok ? "" : parsed.message;
}

describe("parseCreateRequest", () => {
  test("reads all fields", () => {
    const { action: _, clientSparkVersion: __, ...fields } = request;
    expect(parse(request)).toEqual({ ok: true, request: { ...fields, unknownFields: [] } });
  });

  test("lists unknown fields in alphabetical order, also those without a value", () => {
    expect(parse({ ...request, size: {}, colour: null })).toMatchObject({
      request: { unknownFields: ["colour", "size"] },
    });
  });

  test("converts numbers and booleans to strings", () => {
    const sparkProperties = { "spark.driver.cores": 2, "spark.driver.supervise": true };
    expect(parse({ ...request, appArgs: [1, false], sparkProperties, mainClass: 7 })).toMatchObject({
      request: {
        appArgs: ["1", "false"],
        mainClass: "7",
        sparkProperties: { "spark.driver.cores": "2", "spark.driver.supervise": "true" },
      },
    });
  });

  test("ignores the text after the object, and braces and quotes in its strings", () => {
    const body = JSON.stringify({ ...request, appArgs: ['}"\\'] });
    expect(parse(`${body} and {more`)).toMatchObject({ ok: true, request: { appArgs: ['}"\\'] } });
  });

  test("names all invalid fields at once", () => {
    const invalid = {
      action: request.action,
      appResource: null,
      mainClass: {},
      appArgs: "a",
      sparkProperties: { "spark.cores.max": "4x", "spark.executor.memory": "2 apples", "spark.x": null },
    };
    expect(messageOf(invalid)).toBe(
      'Malformed request: clientSparkVersion is missing. appResource is missing. mainClass must be a string, not an object. appArgs must be a list of strings, not a string. sparkProperties: spark.x must be a string, not null. sparkProperties: spark.cores.max must be a whole number, not "4x". sparkProperties: spark.executor.memory must be a size such as 512m, not "2 apples".',
    );
  });

  test("requires more of a client of Spark 3.5", () => {
    const { appArgs: _, environmentVariables: __, ...shorter } = { ...request, sparkProperties: {} };
    expect(messageOf(shorter, "3.5")).toBe(
      "Malformed request: appArgs is missing. environmentVariables is missing. sparkProperties: spark.app.name is missing.",
    );
    expect(parse(shorter)).toMatchObject({ request: { appArgs: [], environmentVariables: {} } });
  });

  test.each([
    ["", "The body is not valid JSON: it is incomplete or not JSON."],
    ["[]", "The body must be a JSON object."],
    ["{}", "action is missing."],
    ['{"action":"NoSuchRequest"}', "action must be CreateSubmissionRequest."],
  ])("rejects the body %o", (body, reason) => {
    expect(messageOf(body)).toBe(`Malformed request: ${reason}`);
  });

  test("does not repeat an invalid body, which can contain credentials", () => {
    expect(messageOf('{"action": s3cret}')).not.toContain("s3cret");
  });

  test("rejects a response, and a body that is not UTF-8", () => {
    expect(messageOf({ action: "ErrorResponse" })).toBe("Received message of unexpected type ErrorResponse.");
    expect(parseCreateRequest(Buffer.from([0x7b, 0xff]), "4.3")).toMatchObject({
      message: "Malformed request: The body is not UTF-8.",
    });
  });
});
