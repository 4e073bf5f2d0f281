import { expect, test } from "vitest";
import { behaviorsOf } from "../conf/behaviors.ts";
import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import { issue } from "../errors/issue.ts";
import type { KubernetesOutcome } from "../masters/submit-outcome.ts";
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

function printedLines(end: KubernetesOutcome["end"], clusterEnds = false): readonly string[] {
  return printOutcome({ ...submitted, end }, { clusterEnds })
    .split("\n")
    .slice(0, -1);
}

test("prints a failure without the text that tools parse as the driver's exit code", () => {
  const message = "The container sidecar ended with Exit code: 7, exit code: 9";
  const lines = printedLines({ kind: "failed", pod, exitCode: 3, reason: "Error", message });
  expect(lines[0]).toContain("Error: The driver drv failed: exit code 3, Error, The container sidecar");
  expect(lines.join("\n")).not.toMatch(/[eE]xit code: (\d+)/);
  expect(lines[1]).toBe("Hint: Read its log: firesteel logs ns:drv --master k8s://https://h");
});

test("prints the output of a failed driver as its log, not as the reason", () => {
  const containers = [{ name: "driver", terminationMessagePolicy: "FallbackToLogsOnError" }];
  const message = "one\ntwo\nthree\nbye\n";
  const end = {
    kind: "failed",
    pod: { ...pod, spec: { containers } },
    exitCode: 42,
    reason: "Error",
    message,
  } as const;
  expect(printedLines(end)).toEqual([
    "Error: The driver drv failed: exit code 42, Error",
    ...["\t Log: two", "\t Log: three", "\t Log: bye"],
    "Hint: Read its log: firesteel logs ns:drv --master k8s://https://h",
  ]);
});

test("prints an expired time limit, and whether the driver was deleted", () => {
  const deleted = { kind: "terminated", pod, driver: "deleted", left: [] } as const;
  expect(printedLines({ ...deleted, why: { kind: "startTimeout", limitMs: 600_000 } })).toEqual([
    "Error: The driver drv did not start within 10 min and was deleted.",
  ]);
  expect(printedLines({ ...deleted, why: { kind: "runTimeout", limitMs: 5_400_000 } })).toEqual([
    "Error: The driver drv did not end within 1 h 30 min and was deleted.",
  ]);
  expect(printedLines({ ...deleted, why: { kind: "unrecoverable" } })).toEqual([
    "Error: The driver drv will not start without a change and was deleted.",
  ]);
  const left = [issue("SUBMIT_ERR_COMMAND_UNKNOWN", { command: "x", known: [] })];
  const lines = printedLines({
    ...deleted,
    driver: "running",
    left,
    why: { kind: "runTimeout", limitMs: 60_000 },
  });
  expect(lines[0]).toBe("Error: The driver drv did not end within 1 min.");
  expect(lines[1]).toContain("Error: Cannot delete it: ");
  expect(lines[2]).toBe("Hint: Delete it: firesteel kill ns:drv --master k8s://https://h");
});

test("prints the diagnosis, if there is one, instead of the command for the log", () => {
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
      "Error: The driver drv failed: exit code 137, OOMKilled",
      "Reason: Its container was killed, exit code 137.",
      "Hint: Give it more memory.",
      "",
    ].join("\n"),
  );
});

test("T75: prints the last log lines of a failed init container below the reason", () => {
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
    "\t Log: 4096 bytes are missing",
    "\t Log: giving up",
  ]);
});

test("names commands for the embedded cluster that need neither kubectl nor KUBECONFIG", () => {
  const printed = (end: KubernetesOutcome["end"]) =>
    printOutcome({ ...submitted, master: "k8s://embedded", end }, { clusterEnds: false });
  const log = "Hint: Read its log: firesteel logs ns:drv --master k8s://embedded";
  const deletion = "Hint: Delete it: firesteel kill ns:drv --master k8s://embedded\n";
  const left = [issue("SUBMIT_ERR_COMMAND_UNKNOWN", { command: "x", known: [] })];
  const interrupted = { kind: "interrupted", signal: "SIGINT", driver: "running", left: [] } as const;
  expect(printed(interrupted)).toContain(`${log} -f\n`);
  expect(printed({ ...interrupted, left })).toContain(deletion);
  expect(printed({ kind: "unknown", pod })).toContain(log);
  expect(printed({ kind: "failed", pod, exitCode: 1, reason: "Error", message: undefined })).toContain(log);
  const why = { kind: "runTimeout", limitMs: 60_000 } as const;
  expect(printed({ kind: "terminated", pod, driver: "running", left, why })).toContain(deletion);
});

test("names the context of the settings in commands", () => {
  const end = { kind: "unknown", pod } as const;
  const printed = printOutcome({ ...submitted, context: "my team", end }, { clusterEnds: false });
  expect(printed).toContain("Hint: Read its log: firesteel logs ns:drv --master k8s://https://h --context 'my team'\n");
});

test("names the command that cleans up what an interrupt left", () => {
  const left = [issue("SUBMIT_ERR_CLEANUP_INCOMPLETE", { namespace: "ns", references: ["pod/drv"], reason: "no" })];
  const end = { kind: "interrupted", signal: "SIGINT", driver: "rolledBack", left } as const;
  const sweep = "firesteel sweep --namespace ns --master k8s://https://h";
  expect(printedLines(end).at(-1)).toBe(`Hint: Clean up objects without a driver after 10 minutes: ${sweep}`);
  expect(printedLines(end, true).join("\n")).not.toContain("sweep");
});

test("prints after an interrupt what happens to the driver and how to continue", () => {
  const end = { kind: "interrupted", signal: "SIGINT", driver: "running", left: [] } as const;
  expect(printedLines(end)).toEqual([
    "Interrupted; the driver drv keeps running.",
    "Hint: Wait for it again: firesteel attach ns:drv --master k8s://https://h",
    "Hint: Read its log: firesteel logs ns:drv --master k8s://https://h -f",
    "Hint: Find out why it makes no progress: firesteel diagnose ns:drv --master k8s://https://h",
    "Hint: Delete it: firesteel kill ns:drv --master k8s://https://h",
  ]);
  expect(printedLines(end, true)).toEqual(["Interrupted; the driver drv ends with the embedded cluster."]);
  expect(printedLines({ ...end, driver: "deleted" })).toEqual(["Interrupted; the driver drv was deleted."]);
});
