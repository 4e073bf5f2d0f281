import { parseInstant } from "../../values/instant.ts";
import { fieldEvidence, logEvidence } from "../evidence.ts";
import type { Rule } from "../rule.ts";
import { keys } from "../settings.ts";
import { terminationReason } from "./init-containers.ts";
import { exitEvidence } from "./run.ts";

/** Time that a sidecar may take to end after the driver (ms). Container end times have a resolution of 1 s. */
const graceMs = 10_500;

const failed: Rule = {
  cause: "side-car-failed",
  seen: "status of a container beside the driver's, which ended with an exit status other than 0",
  remedy: "Use the result of the driver as that of the application, and repair the sidecar.",
  find: ({ driver, stage }) => {
    if (driver === undefined || (stage !== "running" && stage !== "endedWell")) return undefined;
    const failure = driver.sidecars.find(({ end }) => end !== undefined && end.exitCode !== 0);
    if (failure?.end === undefined) return undefined;
    const line = failure.log.at(-1);
    const hasSucceeded = stage === "endedWell";
    return {
      message: `The sidecar ${failure.name} ended with exit status ${failure.end.exitCode}${terminationReason(failure)}; the driver ${hasSucceeded ? "ended with 0, so the application succeeded" : "runs on"}.`,
      nextStep: hasSucceeded
        ? `Treat the application as successful; repair the sidecar ${failure.name}.`
        : `Repair the sidecar ${failure.name}.`,
      key: keys.template,
      evidence: [
        fieldEvidence("driver", "exitCode", failure.end.exitCode),
        ...(hasSucceeded ? [exitEvidence(driver)] : []),
        fieldEvidence("driver", "phase", driver.phase),
        ...(line === undefined ? [] : [logEvidence(failure, line)]),
      ],
      isTerminal: hasSucceeded,
    };
  },
};

const running: Rule = {
  cause: "side-car-running",
  seen: "status of the pod: `Running`, though its driver ended ten seconds ago or more",
  remedy: "Treat the application as done; end the sidecar, or make it a native sidecar.",
  find: ({ driver, stage, now }) => {
    if (driver === undefined || stage !== "endedWell" || driver.phase !== "Running") return undefined;
    const late = driver.sidecars.filter(({ state }) => state.running !== undefined).map(({ name }) => name);
    const finished = parseInstant(driver.main.end?.finishedAt);
    if (late.length === 0 || finished === undefined || now - finished < graceMs) return undefined;
    return {
      message: `The driver ended with 0; the pod stays Running because of the sidecar ${late.join(", ")}.`,
      evidence: [exitEvidence(driver), fieldEvidence("driver", "phase", driver.phase)],
    };
  },
};

/** Rules for the sidecars of the driver. */
export const sidecarRules: readonly Rule[] = [failed, running];
