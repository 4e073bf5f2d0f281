import { visibleLine } from "../host/visible-text.ts";
import type { ListedApplication } from "../masters/kubernetes/applications/list-applications.ts";
import { printSpan } from "../masters/print-span.ts";
import { printTable } from "./print-table.ts";

interface TableOptions {
  /** Time to which the ages refer (ms since 1970). */
  readonly nowMs: number;
  /** Whether the table has a column of namespaces. */
  readonly hasNamespaces: boolean;
}

/** Prints applications as a table. */
export function printApplications(applications: readonly ListedApplication[], options: TableOptions): string {
  const namespaces = options.hasNamespaces ? ["NAMESPACE"] : [];
  const head = [...namespaces, "NAME", "ID", "STATE", "EXECUTORS", "AGE", "OWNER"];
  return printTable(
    head,
    applications.map((application) => applicationRow(application, options)),
  );
}

/** Returns the cells of an application. */
export function applicationRow(application: ListedApplication, { nowMs, hasNamespaces }: TableOptions): string[] {
  const { namespace, appName, appId, podName, executors, createdAt = "", owner = "" } = application;
  const all = executors.running + executors.pending;
  const ageMs = nowMs - Date.parse(createdAt);
  return [
    ...(hasNamespaces ? [namespace] : []),
    ...[appName, appId ?? podName, printState(application), all === 0 ? "-" : `${executors.running}/${all}`],
    ...[Number.isNaN(ageMs) ? "" : printSpan(Math.max(0, ageMs)), owner],
  ].map(visibleLine);
}

/** Prints a state with its reason, e.g. `failed: OOMKilled, exit code 137`. */
export function printState({
  state,
  reason,
  exitCode,
}: Pick<ListedApplication, "state" | "reason" | "exitCode">): string {
  const isExitCode = state === "failed" && exitCode !== undefined && exitCode !== 0;
  // A container that exits with a code of its own has the reason "Error", which says nothing.
  const isEmpty = isExitCode && reason === "Error";
  const details = [isEmpty ? undefined : reason, isExitCode ? `exit code ${exitCode}` : undefined];
  const known = details.filter((detail) => detail !== undefined);
  return known.length === 0 ? state : `${state}: ${known.join(", ")}`;
}

/**
 * Returns an application as JSON. Unknown fields are null.
 *
 * Shape: `{"submissionId": "ns:pod", "namespace", "podName", "appId", "appName", "state", "reason", "exitCode", "executors": {"running",
 * "pending"}, "owner", "createdAt", "endedAt"}`; states are those of `applicationStates`, times those of the API.
 */
export function applicationJson(application: ListedApplication): object {
  const { submissionId, namespace, podName, appId, appName, state, reason, exitCode, executors, owner } = application;
  const { createdAt, endedAt } = application;
  return {
    ...{ submissionId, namespace, podName, appId: appId ?? null, appName, state, reason: reason ?? null },
    ...{ exitCode: exitCode ?? null, executors, owner: owner ?? null },
    ...{ createdAt: createdAt ?? null, endedAt: endedAt ?? null },
  };
}
