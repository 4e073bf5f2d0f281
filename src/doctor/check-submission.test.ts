import { expect, test } from "vitest";
import { doctor } from "./test-doctor.ts";

test("finds nothing wrong with a healthy submission", async () => {
  const findings = await doctor({});
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
});
