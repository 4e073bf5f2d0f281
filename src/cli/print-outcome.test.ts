import { expect, test } from "vitest";
import { behaviorsOf } from "../conf/behaviors.ts";
import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import { issue } from "../errors/issue.ts";
import type { SubmitOutcome } from "../masters/kubernetes/submit-outcome.ts";
import { printOutcome } from "./print-outcome.ts";

const pod = { metadata: { name: "drv" } };
const submitted = {
  appName: "a",
  appId: "spark-1",
  namespace: "ns",
  podName: "drv",
  master: "k8s://https://h",
  behaviors: behaviorsOf({}),
};

function told(end: SubmitOutcome["end"], clusterEnds = false): readonly string[] {
  return printOutcome({ ...submitted, end }, { clusterEnds })
    .split("\n")
    .slice(0, -1);
}

test("a failure is told without the words that stand for the driver's exit code", () => {
  const message = "The container side-car ended with Exit code: 7, exit code: 9";
  const lines = told({ kind: "failed", pod, exitCode: 3, reason: "Error", message });
  expect(lines[0]).toContain("The driver drv failed: exit code 3, Error, The container side-car");
  expect(lines.join("\n")).not.toMatch(/[eE]xit code: (\d+)/);
  expect(lines[1]).toBe("Hint: To see why: kubectl logs --namespace ns drv");
});

test("a time limit that was not kept is told with what became of the driver", () => {
  const deleted = { kind: "givenUp", pod, driver: "deleted", left: [] } as const;
  expect(told({ ...deleted, why: { kind: "startTimeout", limitMs: 600_000 } })).toEqual([
    "The driver drv had not started after 10 min and was deleted.",
  ]);
  expect(told({ ...deleted, why: { kind: "runTimeout", limitMs: 5_400_000 } })).toEqual([
    "The driver drv had not ended after 1 h 30 min and was deleted.",
  ]);
  expect(told({ ...deleted, why: { kind: "hopeless" } })).toEqual([
    "The driver drv will not start until something is changed and was deleted.",
  ]);
  const left = [issue("SUBMIT_ERR_COMMAND_UNKNOWN", { command: "x", known: [] })];
  const lines = told({ ...deleted, driver: "goesOn", left, why: { kind: "runTimeout", limitMs: 60_000 } });
  expect(lines[0]).toBe("The driver drv had not ended after 1 min.");
  expect(lines[1]).toContain("It could not be deleted: ");
  expect(lines[2]).toBe("Hint: To end it: kubectl delete pod --namespace ns drv");
});

test("the reason is told where one was found, instead of where to look for it", () => {
  const diagnosis: Diagnosis = {
    cause: "oom-killed",
    isTerminal: true,
    nextStep: "Give it more memory.",
    evidence: [],
    message: "Its container was killed, exit code: 137.",
  };
  const end = { kind: "failed", pod, exitCode: 137, reason: "OOMKilled", message: undefined } as const;
  expect(printOutcome({ ...submitted, end, diagnosis }, { clusterEnds: false })).toBe(
    [
      "The driver drv failed: exit code 137, OOMKilled",
      "Reason: Its container was killed, exit code 137.",
      "Hint: Give it more memory.",
      "",
    ].join("\n"),
  );
});

test("T75: the last lines of an init container that failed are told with the reason", () => {
  const diagnosis: Diagnosis = {
    cause: "init-container-failed",
    isTerminal: true,
    message: "The init container fetch ended with exit status 6.",
    nextStep: "Repair it.",
    evidence: [
      { in: "pod", text: "exitCode: 6" },
      { in: "initLog", text: "4096 bytes are missing" },
      { in: "initLog", text: "giving up" },
    ],
  };
  const end = { kind: "failed", pod, exitCode: undefined, reason: undefined, message: undefined } as const;
  expect(
    printOutcome({ ...submitted, end, diagnosis }, { clusterEnds: false })
      .split("\n")
      .slice(1, 4),
  ).toEqual([
    "Reason: The init container fetch ended with exit status 6.",
    "\t its log: 4096 bytes are missing",
    "\t its log: giving up",
  ]);
});

test("an interrupt tells how to go on", () => {
  const end = { kind: "interrupted", signal: "SIGINT", driver: "goesOn", left: [] } as const;
  expect(told(end)).toEqual([
    "Interrupted; the driver drv goes on without us.",
    "Hint: To wait for it again: firesteel attach ns:drv --master k8s://https://h",
    "Hint: To look at it: kubectl logs -f --namespace ns drv",
    "Hint: To end it: kubectl delete pod --namespace ns drv",
  ]);
  expect(told(end, true)).toEqual(["Interrupted; the driver drv ends with the embedded cluster."]);
  expect(told({ ...end, driver: "deleted" })).toEqual(["Interrupted; the driver drv was deleted."]);
});
