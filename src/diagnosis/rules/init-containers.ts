import { parseInstant } from "../../values/instant.ts";
import type { ContainerView } from "../container-view.ts";
import { eventEvidence, fieldEvidence, lastLines, podEvidence } from "../evidence.ts";
import { containerOf, eventTimes, lastEvent, type PodView } from "../pod-view.ts";
import type { Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import { sentence, titleOf, type View } from "../view.ts";
import { localizingFailure } from "./localizing-failure.ts";

/** Time after which a running init container is reported (ms). */
const timeoutMs = 10_000;

const failed: Rule = {
  cause: "init-container-failed",
  seen: "status of the init container, which ended with an exit status other than 0, and its log",
  remedy: "Repair what the init container does.",
  find: ({ driver }) => {
    const init = driver?.inits.find(
      (one) =>
        !one.isNativeSidecar && one.end !== undefined && one.end.exitCode !== 0 && one.end.reason !== "OOMKilled",
    );
    if (driver === undefined || init?.end === undefined) return undefined;
    const { exitCode, message = "" } = init.end;
    const localizing = localizingFailure(message);
    const explanation = localizing === undefined ? terminationReason(init) : `: ${localizing.message}`;
    return {
      message: `The init container ${init.name} ended with exit status ${exitCode}${explanation}.`,
      nextStep: localizing?.nextStep ?? `Repair what the init container ${init.name} does; its log has the details.`,
      key: localizing?.key,
      evidence: [
        ...(message === "" ? [] : [podEvidence("driver", message)]),
        fieldEvidence("driver", "exitCode", exitCode),
        ...lastLines(init),
      ],
    };
  },
};

const oom: Rule = {
  cause: "init-container-oom",
  seen: "status of the init container (`OOMKilled`)",
  remedy: "Raise the memory limit of the init container.",
  find: ({ driver }) => {
    const init = driver?.inits.find(({ end }) => end?.reason === "OOMKilled");
    if (init === undefined) return undefined;
    const limit = init.spec?.resources?.limits?.["memory"] ?? "";
    return {
      message: `The init container ${init.name} was killed (OOMKilled): it used more than its memory limit of ${limit}.`,
      nextStep: `Raise the memory limit of the init container ${init.name} in the pod template.`,
      key: keys.template,
      evidence: [podEvidence("driver", "OOMKilled"), fieldEvidence("driver", "exitCode", init.end?.exitCode ?? 137)],
    };
  },
};

const crashLoop: Rule = {
  cause: "init-container-crash-loop",
  seen: "status of the init container or native sidecar (`CrashLoopBackOff`)",
  remedy: "Repair what the container does; its log has the details.",
  find: ({ driver }) => {
    const init = driver?.inits.find(isLooping);
    if (driver === undefined || init === undefined) return undefined;
    const what = init.isNativeSidecar ? `the native sidecar ${init.name}` : titleOf(driver, init);
    const event = lastEvent(driver, "BackOff");
    return {
      message: `${sentence(what)} ends with exit status ${init.end?.exitCode ?? 1} again and again, so the driver waits${terminationReason(init)}.`,
      nextStep: `Repair ${what}.`,
      evidence: [
        podEvidence("driver", init.state.waiting?.reason ?? init.end?.reason ?? "Error"),
        ...lastLines(init),
        ...(event === undefined ? [] : [eventEvidence(event)]),
      ],
    };
  },
};

function isLooping({ state, status, end, isNativeSidecar }: ContainerView): boolean {
  if (state.waiting?.reason === "CrashLoopBackOff") return true;
  const isEnded = state.terminated !== undefined && end?.exitCode !== 0;
  return isNativeSidecar && isEnded && (status?.restartCount ?? 0) > 0 && status?.started !== true;
}

const running: Rule = {
  cause: "init-container-running",
  seen: "status of the init container, which runs for ten seconds or more while the driver waits",
  remedy: "Read the log of the init container: the driver starts when it has ended.",
  find: (view) => {
    const init = unfinished(view);
    if (init === undefined) return undefined;
    const line = init.log.at(-1);
    return {
      message: `The init container ${init.name} has not ended; the driver cannot start before it does${line === undefined ? "" : `. It wrote last: ${line.text.trim()}`}`,
      nextStep: `Read the log of ${init.name}.`,
      evidence: [podEvidence("driver", "PodInitializing"), ...lastLines(init)],
      isTerminal: false,
    };
  },
};

function unfinished({ driver, now }: View): ContainerView | undefined {
  if (driver === undefined || driver.main.hasStarted || driver.isTerminating) return undefined;
  const init = driver.inits.find(({ end, isNativeSidecar, status }) =>
    isNativeSidecar ? status?.started !== true : end === undefined,
  );
  const scheduled = lastEvent(driver, "Scheduled");
  const since = scheduled === undefined ? parseInstant(driver.pod.status?.startTime) : eventTimes(scheduled).first;
  const isWaiting =
    init?.state.running !== undefined ||
    (init?.state.waiting?.reason === "PodInitializing" && !isPulling(driver, init));
  return isWaiting && since !== undefined && now - since >= timeoutMs ? init : undefined;
}

/** Whether the image of a container is being pulled, for which there is another rule. */
function isPulling(driver: PodView, { name }: ContainerView): boolean {
  const last = driver.events.findLast((event) => containerOf(event) === name);
  return last?.reason === "Pulling";
}

/** Returns the container's explanation of its end: its termination message, or else its log. Of several lines, the last with an error. */
export function terminationReason({ end, log }: ContainerView): string {
  const terminationLines = end?.message?.split("\n") ?? [];
  const lines = [terminationLines, log.map((line) => line.text)]
    .map((texts) => texts.map((text) => text.trim()).filter((text) => text !== "" && !remark.test(text)))
    .find((texts) => texts.length > 0);
  if (lines === undefined) return "";
  const errorLine = lines.findLast((text) =>
    /error|fail|cannot|can't|could not|denied|not found|refused|unable/i.test(text),
  );
  return `: ${errorLine ?? lines.at(-1)}`;
}

/** Log lines that do not explain the end of a container. */
const remark = /\b(?:INFO|WARN|DEBUG|TRACE) |^WARNING: Using incubator modules|^Files? \S+ from \S+ to /;

/** Rules for containers that run before the driver. */
export const initContainerRules: readonly Rule[] = [oom, crashLoop, failed, running];
