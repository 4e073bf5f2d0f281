import { expect, test } from "vitest";
import { behaviorsOf } from "../conf/behaviors.ts";
import { submitError } from "../errors/submit-error.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
import { exitCodeOf, exitCodeOfError } from "./exit-codes.ts";

const pod = { metadata: { name: "drv" } };
const submitted = {
  appName: "a",
  appId: "spark-1",
  namespace: "ns",
  podName: "drv",
  master: "k8s://https://h",
};
const failed = { kind: "failed", pod, reason: undefined, message: undefined } as const;

function codes(end: KubernetesOutcome["end"]): readonly number[] {
  return [{}, { FIRESTEEL_STRICT: "1" }].map((env) => exitCodeOf({ ...submitted, end, behaviors: behaviorsOf(env) }));
}

test("exitCodeOf returns the driver's exit code, or 0 with the behavior of Spark", () => {
  expect(codes({ kind: "succeeded", pod })).toEqual([0, 0]);
  expect(codes({ kind: "notAwaited", pod: {} })).toEqual([0, 0]);
  expect(codes({ ...failed, exitCode: 3 })).toEqual([3, 0]);
  expect(codes({ ...failed, exitCode: 0 })).toEqual([1, 0]);
  expect(codes({ ...failed, exitCode: undefined })).toEqual([1, 0]);
  expect(codes({ kind: "deleted", pod })).toEqual([1, 0]);
  const terminated = { kind: "terminated", pod, driver: "deleted", left: [] } as const;
  expect(codes({ ...terminated, why: { kind: "startTimeout", limitMs: 1 } })).toEqual([124, 124]);
  expect(codes({ ...terminated, why: { kind: "runTimeout", limitMs: 1 } })).toEqual([124, 124]);
  expect(codes({ ...terminated, why: { kind: "unrecoverable" } })).toEqual([1, 1]);
  expect(codes({ kind: "interrupted", signal: "SIGINT", driver: "running", left: [] })).toEqual([130, 130]);
  expect(codes({ kind: "interrupted", signal: "SIGTERM", driver: "deleted", left: [] })).toEqual([143, 143]);
});

test("exitCodeOfError returns 101 for a class that is not found, else 1", () => {
  expect(exitCodeOfError(new Error("x"))).toBe(1);
  expect(exitCodeOfError(submitError("SUBMIT_ERR_APP_RESOURCE_MISSING", {}))).toBe(1);
  expect(exitCodeOfError(submitError("SUBMIT_ERR_CLASS_NOT_LOADED", { className: "" }))).toBe(101);
});
