import type { ApplicationRecord } from "../model/application.ts";
import type { Entry } from "./entry.ts";
import { type ApplicationsScope, report } from "./scope.ts";

/** Returns the record of the next attempt, whose driver has a name of its own: `pi-driver`, `pi-driver-2`, `pi-driver-3`. */
export function nextAttempt(
  { end: _, killed: __, appId: ___, undelivered: ____, ...record }: ApplicationRecord,
  { notBeforeMs, counted }: Pick<ApplicationRecord, "notBeforeMs" | "counted">,
): ApplicationRecord {
  const attempt = record.attempt + 1;
  return { ...record, attempt, podName: podNameOf(firstPodName(record), attempt), notBeforeMs, counted };
}

type Attempt = Pick<ApplicationRecord, "podName" | "attempt">;

/** Returns whether a pod has the name of the driver of an attempt before the present one. */
export function isEarlierDriver(podName: string, record: Attempt): boolean {
  const first = firstPodName(record);
  const earlier = Array.from({ length: record.attempt - 1 }, (_, index) => podNameOf(first, index + 1));
  return earlier.includes(podName);
}

function podNameOf(first: string, attempt: number): string {
  return attempt === 1 ? first : `${first}-${attempt}`;
}

function firstPodName({ podName, attempt }: Attempt): string {
  const suffix = attempt === 1 ? "" : `-${attempt}`;
  return podName.endsWith(suffix) ? podName.slice(0, podName.length - suffix.length) : podName;
}

/** Replaces the entry of an application by that of its next attempt. */
export function replaceEntry(scope: ApplicationsScope, next: Entry): void {
  scope.index.add(next);
  report(scope, next);
}
