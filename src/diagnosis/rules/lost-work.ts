import { eventEvidence, findLine, logEvidence, podEvidence } from "../evidence.ts";
import { findFailure } from "../failure.ts";
import type { LogLine } from "../observation.ts";
import { lastEvent, type PodView } from "../pod-view.ts";
import { programLines } from "../program-lines.ts";
import type { Finding, Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import type { View } from "../view.ts";
import { lostWork, ofExecutors } from "./lost-executors.ts";
import { exitEvidence } from "./run.ts";

/** Driver that failed, and the exception that ended it. */
interface FailedDriver {
  readonly view: View;
  readonly driver: PodView;
  readonly lines: readonly LogLine[];
}

/** Builds a rule about a job that was aborted because its executors or their Python workers ended. */
function abortedJobRule(
  { cause, seen, remedy }: Pick<Rule, "cause" | "seen" | "remedy">,
  find: (failed: FailedDriver) => Finding | undefined,
): Rule {
  return {
    ...{ cause, seen, remedy },
    find: (view) => {
      const { driver, stage } = view;
      const failure = driver && stage === "endedBadly" ? findFailure(driver.main.log) : undefined;
      return driver && failure && find({ view, driver, lines: failure.lines });
    },
  };
}

const evicted: Rule = {
  cause: "executor-evicted",
  seen: "status of executors (`Evicted`) and its message",
  remedy: "Give the executors more local storage or memory, as the message of the kubelet says.",
  find: ({ executors, stage }) => {
    const all = executors.filter(({ reason }) => reason === "Evicted");
    const [one] = all;
    if (one === undefined || stage === "endedWell") return undefined;
    const event = lastEvent(one, "Evicted");
    const isStorage = /storage|EmptyDir|disk|inodes/i.test(one.message);
    return {
      message: `The kubelet evicted ${all.length === 1 ? "an executor" : `${all.length} executors`}: ${one.message.trim().replace(/\.$/, "")}.`,
      nextStep: isStorage
        ? `Mount a larger volume whose name begins with spark-local-dir- (${keys.executorVolume}…), or raise the limit of ephemeral storage in ${keys.executorTemplate}.`
        : `Request as much memory as the executors use (${keys.executorMemoryOverhead}), so that the node is not overcommitted.`,
      key: isStorage ? keys.executorVolume : keys.executorMemoryOverhead,
      evidence: [podEvidence("executor", "Evicted"), ...(event === undefined ? [] : [eventEvidence(event)])],
      isTerminal: stage === "endedBadly",
    };
  },
};

const outOfMemory =
  /OutOfMemoryError: (Java heap space|GC overhead limit exceeded|Requested array size exceeds VM limit)/;

const heapSpace: Rule = {
  cause: "executor-heap-space",
  seen: "`java.lang.OutOfMemoryError` in the log of an executor or in a failed task, or exit status 52 of executors",
  remedy: "Raise the memory of the executors, or use more and smaller partitions.",
  find: (view) => {
    const { driver, executors, stage, properties } = view;
    if (driver === undefined || (stage !== "running" && stage !== "endedBadly")) return undefined;
    const heap = properties[keys.executorMemory] ?? "1g";
    const own = executors
      .filter(({ main }) => main.end !== undefined)
      .flatMap(({ main }) => {
        const found = findLine(programLines(main.log), outOfMemory);
        return found === undefined ? [] : [logEvidence(main, found.line)];
      });
    const failure = stage === "endedBadly" ? (findFailure(driver.main.log)?.lines ?? []) : [];
    const task = findLine(failure, /executor \S+\): (?:java\.lang\.)?OutOfMemoryError|exit code 52\b/);
    const isOfDriver = findLine(failure, /^(?:: |Caused by: |Exception in thread "main" )java\.lang\.OutOfMemoryError/);
    if (isOfDriver !== undefined || (own.length === 0 && task === undefined)) return undefined;
    const isReason = ({ text }: LogLine) => lostWork.test(text) || outOfMemory.test(text) || ofExecutors.test(text);
    if (failure.length > 0 && !failure.some(isReason)) return undefined;
    return {
      message: `The Java heap of the executors (${keys.executorMemory}=${heap}) is too small for a task: java.lang.OutOfMemoryError.`,
      nextStep: `Raise ${keys.executorMemory} above ${heap}, or use more and smaller partitions; one key with many rows needs another plan.`,
      key: keys.executorMemory,
      evidence: [...own.slice(0, 1), ...(task === undefined ? [] : [logEvidence(driver.main, task.line)])],
      isTerminal: stage === "endedBadly",
    };
  },
};

const workerCrashed = abortedJobRule(
  {
    cause: "python-worker-crashed",
    seen: "`Python worker exited unexpectedly` in the exception that ended the driver, and no executor with `OOMKilled`",
    remedy: "Raise the memory overhead of the executors, or repair the native code that the task calls.",
  },
  ({ driver, lines }) => {
    const found = findLine(lines, /Python worker exited unexpectedly/);
    if (found === undefined) return undefined;
    const fault = findLine(lines, /Fatal Python error: (.*)|(Segmentation fault)/);
    return {
      message: `A Python worker of an executor ended unexpectedly${fault === undefined ? "" : ` (${fault.match[1] ?? fault.match[2]})`}: the kernel killed it, often for memory, or native code ended it.`,
      nextStep: `Raise ${keys.executorMemoryOverhead}: Python's memory is part of it. If that does not help, check the native libraries that the task calls.`,
      key: keys.executorMemoryOverhead,
      evidence: [logEvidence(driver.main, found.line), exitEvidence(driver)],
    };
  },
);

const shuffleLost = abortedJobRule(
  {
    cause: "shuffle-lost",
    seen: "`FetchFailed` in the exception that ended the driver",
    remedy:
      "Find out why executors ended, or keep shuffle files beyond them, with a shuffle service or decommissioning.",
  },
  ({ driver, lines }) => {
    const found = findLine(
      lines,
      /FetchFailed|MetadataFetchFailed|Missing an output location for shuffle|maximum allowable number of times/,
    );
    if (found === undefined) return undefined;
    return {
      message:
        "Executors ended, their shuffle files were lost, and the job was aborted after its stages failed too often.",
      nextStep: `Find out why the executors ended (firesteel events), or set ${keys.shuffleProfile}=service or decommission, which keep shuffle files.`,
      key: keys.shuffleProfile,
      evidence: [logEvidence(driver.main, found.line), exitEvidence(driver)],
    };
  },
);

const executorLost = abortedJobRule(
  {
    cause: "executor-lost",
    seen: "`ExecutorLostFailure` in the exception that ended the driver, and no executor with `OOMKilled`",
    remedy: "Find out what ended the executors: their events, their node, or a person.",
  },
  ({ driver, lines }) => {
    const found = findLine(
      lines,
      /ExecutorLostFailure \(executor (\S+) [^)]*\)(?: Reason: (.*))?|(executor \S+ exited .*)/,
    );
    if (found === undefined) return undefined;
    const [, , reason, other] = found.match;
    // The driver writes the status of the pod below the exception's first line.
    const status = findLine(lines, /^\s*(The executor with id \S+ (?:exited|was deleted)[^\n]*)/)?.match[1];
    const detail = [reason, status, other]
      .map((text) => text?.trim().replace(/\.$/, ""))
      .find((text) => text !== undefined && text !== "");
    return {
      message: `Executors ended while they ran tasks, and the job was aborted${detail === undefined ? "" : `: ${detail}`}.`,
      nextStep: "Find out what ended the executors: see firesteel events, and the logs of their nodes.",
      evidence: [logEvidence(driver.main, found.line), exitEvidence(driver)],
    };
  },
);

/** Rules for jobs that were aborted because their executors ended. Decisive evidence about an executor comes first. */
export const lostWorkRules: readonly Rule[] = [evicted, heapSpace, workerCrashed, shuffleLost, executorLost];
