import { findLine, logEvidence } from "../evidence.ts";
import { findFailure } from "../failure.ts";
import type { LogLine } from "../observation.ts";
import type { PodView } from "../pod-view.ts";
import { programLines } from "../program-lines.ts";
import type { Finding, Rule } from "../rule.ts";
import type { View } from "../view.ts";
import type { FoundInLog, LogRow } from "./log-row.ts";
import { clusterRows } from "./log-rows/cluster.ts";
import { dependencyRows } from "./log-rows/dependencies.ts";
import { jvmRows } from "./log-rows/jvm.ts";
import { podFileRows } from "./log-rows/pod-files.ts";
import { programRows } from "./log-rows/programs.ts";
import { storageRows } from "./log-rows/storage.ts";
import { exitEvidence } from "./run.ts";
import { invalidSetting } from "./setting-invalid.ts";

/** Rows in order of precedence: the first match applies. */
const rows: readonly LogRow[] = [
  ...clusterRows,
  ...storageRows,
  ...jvmRows,
  ...programRows,
  ...dependencyRows,
  ...podFileRows,
  {
    cause: "setting-invalid",
    scope: "failure",
    pattern: /[\s\S]/,
    remedy: "Correct the setting.",
    explain: ({ failure, view: { properties } }) => failure && invalidSetting(failure, properties),
  },
];

function toRule(row: LogRow): Rule {
  return {
    cause: row.cause,
    seen: row.scope === "log" ? "the driver log" : "the exception in the driver log that ended it",
    remedy: row.remedy,
    find: (view) => {
      const { driver, stage } = view;
      if (driver === undefined || (stage !== "endedBadly" && stage !== "running")) return undefined;
      if (stage === "running" && row.isImmediate === undefined) return undefined;
      const failure = stage === "running" ? undefined : findFailure(driver.main.log);
      return toArgv(row, linesFor(row, driver, view), { failure, driver, view });
    },
  };
}

/** Returns the lines that a row searches. */
function linesFor(row: LogRow, { main }: PodView, { stage }: View): readonly LogLine[] {
  const log = programLines(main.log);
  const immediateLines = () => log.filter(({ text }) => row.isImmediate?.test(text));
  if (stage === "running") return immediateLines();
  const failure = findFailure(main.log)?.lines ?? [];
  if (row.scope === "failure") return failure;
  return row.isConsequence === true ? [...immediateLines(), ...failure] : log;
}

function toArgv(row: LogRow, lines: readonly LogLine[], rest: Omit<FoundInLog, "match" | "line">): Finding | undefined {
  const found = findLine(lines, row.pattern);
  const finding = found && row.explain({ ...found, ...rest });
  if (found === undefined || finding === undefined) return undefined;
  const line = row.cause === "setting-invalid" ? (rest.failure?.head ?? found.line) : found.line;
  const isEnded = rest.view.stage === "endedBadly";
  return {
    ...finding,
    evidence: [logEvidence(rest.driver.main, line), ...(isEnded ? [exitEvidence(rest.driver)] : [])],
  };
}

/** Rules for causes that the driver log shows. */
export const driverLogRules: readonly Rule[] = rows.map(toRule);
