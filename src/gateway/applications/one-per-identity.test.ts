import { expect, test } from "vitest";
import type { NewApplication, SubmitResult } from "../model/applications.ts";
import { testApplication, testSubmission } from "../model/test-application.ts";
import { onePerIdentity } from "./one-per-identity.ts";

const unavailable: SubmitResult = { kind: "unavailable", reason: "no response", retryAfterSeconds: 5 };
const accepted: SubmitResult = { kind: "accepted", application: testApplication() };

/** Requests that reach the store, each of which ends when the test resolves it. */
function setUp() {
  const started: ((result: SubmitResult) => void)[] = [];
  const accept = onePerIdentity(() => new Promise((resolve) => started.push(resolve)));
  return { started, accept };
}

function request(idempotencyKey: string): NewApplication {
  return { protocol: "api", owner: "ann", submission: testSubmission, idempotencyKey };
}

test("requests that wait for one with their identity fail with it when the API does not respond", async () => {
  const { started, accept } = setUp();
  const results = Promise.all(Array.from({ length: 100 }, () => accept(request("nightly"))));
  started[0]?.(unavailable);
  expect(new Set(await results)).toEqual(new Set([unavailable]));
  expect(started).toHaveLength(1);
});

test("a request after a failed one is tried again", async () => {
  const { started, accept } = setUp();
  const first = accept(request("nightly"));
  started[0]?.(unavailable);
  await first;
  const second = accept(request("nightly"));
  started[1]?.(accepted);
  expect(await second).toBe(accepted);
});

test("a repetition of a stored request starts after it, to find it", async () => {
  const { started, accept } = setUp();
  const [first, second] = [accept(request("nightly")), accept(request("nightly"))];
  expect(started).toHaveLength(1);
  started[0]?.(accepted);
  expect(await first).toBe(accepted);
  const repeated: SubmitResult = { kind: "repeated", application: testApplication() };
  await expect.poll(() => started).toHaveLength(2);
  started[1]?.(repeated);
  expect(await second).toBe(repeated);
});

test("requests with other identities do not wait", () => {
  const { started, accept } = setUp();
  void accept(request("nightly"));
  void accept(request("hourly"));
  expect(started).toHaveLength(2);
});
