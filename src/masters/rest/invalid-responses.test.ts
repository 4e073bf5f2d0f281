import { describe, expect, test } from "vitest";
import { restSettings, standby } from "./test-gateway.ts";
import { submitOnce } from "./test-submission.ts";

describe("a gateway with invalid responses", () => {
  const version = { serverSparkVersion: "4.3.0" };

  test.each([
    ["SUBMIT_ERR_REST_MALFORMED", { text: "<html>hello</html>" }],
    ["SUBMIT_ERR_REST_MALFORMED", { status: 500, text: "<html>trouble</html>" }],
    ["SUBMIT_ERR_REST_MALFORMED", { json: { action: "CreateSubmissionResponse" } }],
    ["SUBMIT_ERR_REST_RESPONSE_UNKNOWN", { json: { action: "Poem", ...version } }],
    ["SUBMIT_ERR_REST_REJECTED", { status: 400, json: { action: "ErrorResponse", message: "no", ...version } }],
    ["SUBMIT_ERR_REST_REJECTED", { status: 403, text: "<html><h2>JWT Validate Fail</h2></html>" }],
    ["SUBMIT_ERR_REST_REJECTED", { json: { ...standby, action: "KillSubmissionResponse", submissionId: "d" } }],
    ["SUBMIT_ERR_REST_NO_RESPONSE", { failure: "timedOut" }],
    ["SUBMIT_ERR_REST_UNREACHABLE", { status: 404, text: "" }],
    ["SUBMIT_ERR_REST_HOST", { failure: "unresolved" }],
  ] as const)("ends a submission: %s", async (code, rule) => {
    // No master may have received it.
    const { end } = await submitOnce({
      rules: [
        { on: "POST", ...rule },
        { on: "GET", failure: "disconnected" },
      ],
    });
    expect(end).toEqual([code]);
  });

  test.each([
    ["no word", { status: 404, text: "" }, 0, "Server responded with error:\n\t\tSome()"],
    [
      "an error with HTTP status 200",
      { json: { action: "ErrorResponse", message: "m", ...version } },
      0,
      "Server responded with error:\n\t\tm",
    ],
    ["another success", { status: 201, text: "{}" }, ["SUBMIT_ERR_REST_WAIT"], ""],
  ] as const)("with %s ends a submission as in Spark", async (_, rule, end, text) => {
    const spark = await submitOnce({ settings: restSettings, rules: [{ on: "POST", ...rule }], strict: true });
    expect(spark.end).toEqual(end);
    expect(spark.host.errorText()).toContain(text);
  });

  test("is not queried again about an existing driver with Spark's exact behavior", async () => {
    const rules = [{ on: "GET", status: 404, json: { action: "ErrorResponse", message: "m", ...version } }];
    const { end, gateway } = await submitOnce({ settings: restSettings, rules, strict: true });
    expect(end).toBe(0);
    expect(gateway.lines).toHaveLength(2);
  });

  test("has the secrets that it repeats redacted", async () => {
    const text = 'Action field not found in JSON:\n{"spark.authenticate.secret":"s3cr3t\\"x"}';
    const settings = { ...restSettings, "spark.authenticate.secret": 's3cr3t"x', "spark.token": "abcdef" };
    const rules = [{ on: "POST", status: 400, json: { action: "ErrorResponse", message: `${text} abcdef` } }];
    const result = await submitOnce({ settings, rules });
    expect(result.messages).toContain("Action field not found");
    const spark = await submitOnce({ settings, rules, strict: true });
    expect(spark.host.errorText()).toContain("Action field not found");
    for (const output of [result.messages, spark.host.errorText()]) expect(output).not.toMatch(/s3cr3t|abcdef/);
  });
});
