import type { Evidence } from "../diagnosis.ts";
import { eventEvidence, fieldEvidence, findLine, lastLines, logEvidence, podEvidence } from "../evidence.ts";
import { memoryAdvice } from "../memory-advice.ts";
import { eventCount, lastEvent, type PodView } from "../pod-view.ts";
import type { Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import type { View } from "../view.ts";
import { terminationReason } from "./init-containers.ts";

const oomKilled: Rule = {
  cause: "oom-killed",
  seen: "status of the driver's container (`OOMKilled`)",
  remedy: "Raise the memory overhead of the driver.",
  find: ({ driver, properties }) => {
    if (driver?.main.end?.reason !== "OOMKilled" || driver.main.end.exitCode === 0) return undefined;
    const { limit, parts, nextStep, key } = memoryAdvice(driver, properties);
    return {
      message: `The driver was killed (OOMKilled, exit status ${driver.main.end.exitCode}): it used more than its memory limit of ${limit}${parts}.`,
      ...{ nextStep, key },
      evidence: [podEvidence("driver", "OOMKilled"), exitEvidence(driver)],
    };
  },
};

const hookFailed: Rule = {
  cause: "lifecycle-hook-failed",
  seen: "event `FailedPostStartHook`",
  remedy: "Repair the hook in the pod template.",
  find: ({ driver, stage }) => {
    const event = driver && lastEvent(driver, "FailedPostStartHook");
    if (event === undefined || stage === "endedWell") return undefined;
    return {
      message: `The postStart hook of the driver container failed and the container was killed: ${event.message ?? ""}`,
      key: keys.template,
      evidence: [eventEvidence(event)],
    };
  },
};

const probeFailed: Rule = {
  cause: "probe-failed",
  seen: "events `Unhealthy` and `Killing`; the status of the pod says nothing of it",
  remedy: "Give the probe more time, correct it or drop it in the pod template.",
  find: ({ driver, stage }) => {
    if (driver === undefined || stage === "endedWell") return undefined;
    const event = driver.events.findLast(
      ({ reason, message = "" }) => reason === "Unhealthy" && /^(Liveness|Startup) probe /.test(message),
    );
    const killing = lastEvent(driver, "Killing");
    if (event === undefined || !isKilledByProbe(driver, event, killing?.message)) return undefined;
    const [, kind = "", text = ""] =
      /^(Liveness|Startup) probe (?:failed|errored): ?([\s\S]*)/.exec(event.message ?? "") ?? [];
    return {
      message: `The ${kind.toLowerCase()} probe failed and the kubelet kills the driver container: ${text.trim()}`,
      key: keys.template,
      evidence: [eventEvidence(event), ...(killing === undefined ? [] : [eventEvidence(killing)])],
      isTerminal: stage === "endedBadly" || killing !== undefined,
    };
  },
};

/** Whether a probe killed the driver. A startup probe fails until the driver runs; a liveness probe that failed twice fails again. */
function isKilledByProbe(
  driver: PodView,
  event: Parameters<typeof eventCount>[0],
  killing: string | undefined,
): boolean {
  if (killing !== undefined) return !driver.isTerminating || /probe/.test(killing);
  const isLiveness = /^Liveness/.test(event.message ?? "");
  const { livenessProbe, startupProbe } = driver.main.spec ?? {};
  const threshold = (isLiveness ? livenessProbe : startupProbe)?.failureThreshold ?? 3;
  return eventCount(event) >= Math.min(threshold, isLiveness ? 2 : threshold);
}

const exitRules: readonly Rule[] = [
  shellRule("command-not-executable", 126, shellMessage("Permission denied|cannot execute.*|Is a directory")),
  shellRule("command-not-found", 127, shellMessage("(?:command )?not found|No such file or directory")),
];

/** Returns a pattern for the line that a shell, env or tini prints about a command, such as `sh: 1: java: not found`. */
function shellMessage(reasons: string): RegExp {
  const origin = String.raw`\S+: (?:line )?\d+|(?:\S*/)?(?:-?\w*sh|env|nice|nohup)`;
  return new RegExp(
    String.raw`^(?:(?:${origin}): (?:exec: )?['‘"]?([^:]+?)['’"]?:|\[\w+ +tini.*?\] exec (\S+) failed:) (?:${reasons})\s*$`,
  );
}

/** Builds a rule for an exit status by which a shell reports that it cannot run a command. */
function shellRule(cause: "command-not-executable" | "command-not-found", status: number, pattern: RegExp): Rule {
  return {
    cause,
    seen: `exit status ${status} of the driver, and its log`,
    remedy: "Correct the command in the pod template, or use an image that has it.",
    find: ({ driver }) => {
      if (driver?.main.end?.exitCode !== status) return undefined;
      // The last one: a script can continue after others.
      const found = findLine(driver.main.log.toReversed(), pattern);
      const command = found?.match[1] ?? found?.match[2] ?? "that the driver's container runs";
      const what = status === 126 ? "cannot be executed" : "is not in the image";
      return {
        message: `The command ${command} ${what} (exit status ${status}).`,
        key: keys.template,
        evidence: [...(found === undefined ? [] : [logEvidence(driver.main, found.line)]), exitEvidence(driver)],
      };
    },
  };
}

const jvmCrash: Rule = {
  cause: "jvm-crash",
  seen: "exit status 134 or 139 of the driver, and `A fatal error has been detected by the Java Runtime Environment` in its log",
  remedy: "Check the hs_err file and the native libraries in use.",
  find: ({ driver }) => {
    if (driver?.main.end === undefined || driver.main.end.exitCode === 0) return undefined;
    const { main } = driver;
    const { exitCode } = driver.main.end;
    const signal = findLine(main.log, /^#\s+(SIG\w+|Internal Error)\b.*/);
    if (signal === undefined && exitCode !== 134 && exitCode !== 139) return undefined;
    const name = signal?.match[1] ?? (exitCode === 139 ? "SIGSEGV" : "SIGABRT");
    return {
      message: `The JVM of the driver crashed (${name}, exit status ${exitCode}).`,
      evidence: [...(signal === undefined ? [] : [logEvidence(main, signal.line)]), exitEvidence(driver)],
    };
  },
};

const killed: Rule = {
  cause: "killed",
  seen: "exit status 137 of the driver without `OOMKilled`",
  remedy: "Ask who killed it: a node operator, a security agent or the out-of-memory killer of the node.",
  find: (view) => {
    const { driver } = view;
    if (driver?.main.end?.exitCode !== 137) return undefined;
    const system = systemOom(view, driver);
    return {
      message: `The driver process got SIGKILL (exit status 137), and its container was not over its memory limit${system === undefined ? "" : "; the node itself ran out of memory"}.`,
      evidence: [exitEvidence(driver), ...(system === undefined ? [] : [system])],
    };
  },
};

function systemOom({ events }: View, { spec }: PodView): Evidence | undefined {
  const event = events.find(
    ({ reason, involvedObject }) =>
      /^(SystemOOM|OOMKilling)$/.test(reason ?? "") && involvedObject?.name === spec.nodeName,
  );
  return event && eventEvidence(event);
}

const terminated: Rule = {
  cause: "terminated",
  seen: "exit status 143 of the driver whose pod was not deleted",
  remedy: "Find out which process ended it.",
  find: ({ driver }) => {
    const isShutdown = /node shutdown|shutting down/i.test(driver?.message ?? "");
    if (driver === undefined || (driver.main.end?.exitCode !== 143 && !isShutdown)) return undefined;
    return {
      message: isShutdown
        ? `The driver process was ended (SIGTERM): its node ${driver.spec.nodeName ?? ""} shuts down.`
        : "The driver process got SIGTERM (exit status 143); the pod was not deleted.",
      nextStep: isShutdown ? "Submit again." : undefined,
      evidence: [...(isShutdown ? [podEvidence("driver", driver.message)] : []), exitEvidence(driver)],
    };
  },
};

const applicationExit: Rule = {
  cause: "application-exit",
  seen: "exit status of the driver, without an exception in its log",
  remedy: "Read the driver log: the application ended itself.",
  find: ({ driver, stage }) => {
    if (driver?.main.end === undefined || stage !== "endedBadly") return undefined;
    const { main } = driver;
    const { exitCode, message = "" } = driver.main.end;
    // Its output may be about anything, so it is evidence and not the reason, unlike a message that the application wrote for that.
    const isOutput = main.spec?.terminationMessagePolicy === "FallbackToLogsOnError";
    return {
      message: `The application exited with code ${exitCode}${isOutput ? "" : terminationReason({ ...main, log: [] })}.`,
      evidence: [exitEvidence(driver), ...(message === "" ? [] : [podEvidence("driver", message)]), ...lastLines(main)],
    };
  },
};

const lingering: Rule = {
  cause: "driver-does-not-exit",
  seen: "`Successfully stopped SparkContext` in the driver log ten seconds ago or more, while its container runs on",
  remedy: "End the threads that are not daemons, or let the driver exit when main returns.",
  find: ({ driver, stage, now }) => {
    if (driver === undefined || stage !== "running") return undefined;
    const { main } = driver;
    const stopped = main.log.findLast(({ text }) => /Successfully stopped SparkContext/.test(text));
    const last = main.log.at(-1);
    if (stopped === undefined || last === undefined) return undefined;
    const isQuiet = now - last.at >= lingerMs || now - stopped.at >= 6 * lingerMs;
    if (!isQuiet) return undefined;
    return {
      message:
        "The application has ended (SparkContext stopped), but something keeps the JVM of the driver alive: often a thread that is not a daemon.",
      nextStep: `Set ${keys.exitAfterMain}=true, or end the threads.`,
      key: keys.exitAfterMain,
      evidence: [logEvidence(main, stopped), fieldEvidence("driver", "phase", driver.phase)],
    };
  },
};

/** Time that a JVM may take to end (ms). */
const lingerMs = 10_000;

/** Quotes the exit status of the driver. */
export function exitEvidence({ main }: PodView): Evidence {
  return fieldEvidence("driver", "exitCode", main.end?.exitCode ?? 1);
}

/** Rules that need only the container's status or events, whatever the log contains. */
export const killedRules: readonly Rule[] = [oomKilled, hookFailed, probeFailed];

/** Rules by exit status, which apply after those for the log. */
export const exitStatusRules: readonly Rule[] = [...exitRules, jvmCrash, killed, terminated, applicationExit];

/** Rules for a driver that should have ended. */
export const lingeringRules: readonly Rule[] = [lingering];
