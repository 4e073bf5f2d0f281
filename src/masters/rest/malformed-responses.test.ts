/** @module-tag long */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type GatewayRule, waitSettings } from "./test-gateway.ts";
import { operateOnce, submitOnce } from "./test-submission.ts";

const scalar = fc.oneof(fc.constantFrom(null, true, false, "true", 0, 1e300, "", "RUNNING", "FINISHED"), fc.string());
const action = fc.constantFrom(
  ...["CreateSubmissionResponse", "SubmissionStatusResponse", "KillSubmissionResponse", "ErrorResponse", "Other", 1],
);
const fields = fc.dictionary(
  fc.constantFrom(
    ...["success", "submissionId", "message", "driverState", "serverSparkVersion", "workerId", "workerHostPort"],
  ),
  fc.oneof(scalar, fc.constantFrom([], {}, [[null]])),
);
const json = fc.oneof(
  fc.tuple(action, fields).map(([type, more]) => ({ action: type, ...more })),
  fc.tuple(action, fields).map(([type, more]) => ({
    ...{ action: type, success: true, submissionId: "driver-1", serverSparkVersion: "4.3.0", ...more },
  })),
  scalar,
  fc.constant([[]]),
);
const text = fc.oneof(
  { weight: 5, arbitrary: json.map((value) => JSON.stringify(value)) },
  fc.constantFrom("", "<html>", "{", "\0"),
);
const rule = fc.record({ status: fc.constantFrom(200, 200, 201, 302, 400, 404, 500), text });
/** Responses in turn; then none, which ends a wait. */
const rules = fc
  .array(rule, { minLength: 1, maxLength: 12 })
  .map((all): readonly GatewayRule[] => [
    ...all.map((one) => ({ on: "", times: 1, ...one })),
    { on: "", failure: "refused" },
  ]);

const commands = {
  submit: (responses: readonly GatewayRule[], strict: boolean) => submitOnce({ rules: responses, strict }),
  "submit and wait": (responses: readonly GatewayRule[], strict: boolean) =>
    submitOnce({ rules: responses, strict, settings: { ...waitSettings, "spark.firesteel.runTimeout": "1h" } }),
  status: (responses: readonly GatewayRule[], strict: boolean) =>
    operateOnce("status", { id: "d", rules: responses, strict }),
  kill: (responses: readonly GatewayRule[], strict: boolean) =>
    operateOnce("kill", { id: "d", rules: responses, strict }),
};

test.each(Object.entries(commands))("%s ends with an exit code or an error code for any response", async (_, run) => {
  await fc.assert(
    fc.asyncProperty(rules, fc.boolean(), async (responses, strict) => {
      // Any error without a code is thrown.
      const { end } = await run(responses, strict);
      if (typeof end === "number") expect(Number.isInteger(end)).toBe(true);
      else for (const code of end) expect(code).toMatch(/^SUBMIT_ERR_/);
    }),
    { numRuns: 150 },
  );
});
