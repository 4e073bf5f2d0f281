import { messageOf } from "../../errors/message-of.ts";
import type { ApplicationRecord } from "../model/application.ts";
import type { ScheduleRecord } from "../model/schedules.ts";

/** A record, or why a text is none. */
export type ParsedRecord<R> =
  | { readonly ok: true; readonly record: R }
  | { readonly ok: false; readonly reason: string };

/** Parses the stored record of an application. */
export function parseRecord(text: string): ParsedRecord<ApplicationRecord> {
  return parseAs(text, isApplicationRecord);
}

/** Parses the stored record of a schedule. */
export function parseScheduleRecord(text: string): ParsedRecord<ScheduleRecord> {
  return parseAs(text, isScheduleRecord);
}

function parseAs<R>(text: string, isRecord: (value: unknown) => value is R): ParsedRecord<R> {
  try {
    const record: unknown = JSON.parse(text);
    if (isRecord(record)) return { ok: true, record };
    return { ok: false, reason: "it lacks fields of a record" };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function isApplicationRecord(value: unknown): value is ApplicationRecord {
  return hasFields(value, {
    ...{ key: "string", protocol: "string", id: "string", namespace: "string", podName: "string" },
    ...{ acceptedMs: "number", attempt: "number", number: "number", submission: "object" },
  });
}

function isScheduleRecord(value: unknown): value is ScheduleRecord {
  return hasFields(value, {
    ...{ key: "string", uid: "string", namespace: "string", name: "string", requestDigest: "string" },
    ...{ createdMs: "number", isSuspended: "boolean", rules: "object", application: "object" },
  });
}

function hasFields(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return Object.entries(types).every(([name, type]) => typeof fields.get(name) === type);
}
