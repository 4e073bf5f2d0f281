/** @module-tag long */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { TestRequest, TestResponse } from "../../hadoop/test-web.ts";
import { plainArgs, startSubmission } from "./test-submission.ts";

const scalar = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e300, "", "FINISHED", "application_1_0001", "/user/ann", "http://x:0/%"),
  fc.string({ maxLength: 5 }),
);
const name = fc.constantFrom(
  ...["application-id", "maximum-resource-capability", "memory", "app", "state", "finalStatus", "diagnostics"],
  ...["Path", "Location", "boolean", "FileStatus", "FileStatuses", "type", "length", "permission", "pathSuffix"],
  ...["RemoteException", "exception", "message", "id", "modificationTime"],
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 2 }),
    fc.dictionary(name, tie("json"), { maxKeys: 5 }),
  ),
}));
const response = fc.oneof(
  json.map((value): TestResponse => ({ json: value })),
  fc.constantFrom<TestResponse>({ text: "" }, { text: "<html>" }, { text: "{" }, { status: 302 }, { status: 204 }),
  fc
    .tuple(fc.constantFrom(400, 401, 403, 404, 500, 503), json)
    .map(([status, value]): TestResponse => ({ status, json: value })),
);

test("a submission ends with an exit code or an error code, whichever response is malformed", async () => {
  const { yarn, ended } = startSubmission(plainArgs);
  await ended;
  const count = yarn.requests.length;
  await fc.assert(
    fc.asyncProperty(fc.nat(count - 1), fc.nat(3), response, async (first, more, malformed) => {
      let number = -1;
      const instead = (_: TestRequest) => {
        number += 1;
        return number >= first && number <= first + more ? malformed : undefined;
      };
      const end = await startSubmission(plainArgs, { yarn: { instead } }).ended.catch((error: unknown) => error);
      if (!isSubmitError(end)) expect(end).toSatisfy(Number.isInteger);
    }),
    { numRuns: 200 },
  );
});
