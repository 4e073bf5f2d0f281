import type { Finding, FindingStatus } from "../doctor/finding.ts";
import { indentedLines } from "../host/visible-text.ts";

/** Prints findings as a table: status, check and reason, then what to do. */
export function printFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const rows = findings.flatMap(({ status, check, cause, reason, fix, key }) => {
    const isProblem = status === "failure" || status === "warning";
    const detail = isProblem && cause !== undefined ? ` [${cause}]` : "";
    const setting = key === undefined ? "" : ` (${key})`;
    return [
      `${labels[status].padEnd(8)}${check.padEnd(width)}  ${reason}${detail}`,
      ...(fix === undefined ? [] : [`${" ".repeat(8 + width)}  Fix: ${fix}${setting}`]),
    ];
  });
  return [...rows, summaryOf(findings)].map((line) => `${indentedLines(line)}\n`).join("");
}

/** Prints findings as one JSON object. */
export function printFindingsJson(findings: readonly Finding[]): string {
  const list = findings.map(({ check, status, cause = null, reason, fix = null, key = null }) => ({
    ...{ check, status, cause, reason, fix, key },
  }));
  return `${JSON.stringify({ passed: !hasFailure(findings), findings: list }, undefined, 2)}\n`;
}

/** Returns whether the submission will fail. */
export function hasFailure(findings: readonly Finding[]): boolean {
  return findings.some(({ status }) => status === "failure");
}

const labels: Readonly<Record<FindingStatus, string>> = {
  ok: "ok",
  warning: "warning",
  failure: "FAILURE",
  skipped: "skipped",
};

function summaryOf(findings: readonly Finding[]): string {
  const count = (status: FindingStatus) => findings.filter((finding) => finding.status === status).length;
  const counts = `${plural(count("failure"), "failure")}, ${plural(count("warning"), "warning")}, ${count("skipped")} skipped`;
  if (hasFailure(findings)) return `The submission will fail: ${counts}.`;
  return count("ok") === 0 ? `Nothing was checked: ${counts}.` : `No failure is foreseeable: ${counts}.`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
