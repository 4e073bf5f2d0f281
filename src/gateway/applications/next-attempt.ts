import type { ApplicationRecord } from "../model/application.ts";
import type { Entry } from "./entry.ts";
import { type ApplicationsScope, report } from "./scope.ts";

/** Returns the record of the next attempt, whose driver has a name of its own: `pi-driver`, `pi-driver-2`, `pi-driver-3`. */
export function nextAttempt(
  { end: _, killed: __, appId: ___, undelivered: ____, ...record }: ApplicationRecord,
  { notBeforeMs, counted }: Pick<ApplicationRecord, "notBeforeMs" | "counted">,
): ApplicationRecord {
  const suffix = record.attempt === 1 ? "" : `-${record.attempt}`;
  const base = record.podName.endsWith(suffix)
    ? record.podName.slice(0, record.podName.length - suffix.length)
    : record.podName;
  const attempt = record.attempt + 1;
  return { ...record, attempt, podName: `${base}-${attempt}`, notBeforeMs, counted };
}

/** Replaces the entry of an application by that of its next attempt. */
export function replaceEntry(scope: ApplicationsScope, next: Entry): void {
  scope.index.add(next);
  report(scope, next);
}
