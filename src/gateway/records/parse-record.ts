import { messageOf } from "../../errors/message-of.ts";
import type { ApplicationRecord } from "../model/application.ts";

/** A record, or why a text is none. */
export type ParsedRecord =
  | { readonly ok: true; readonly record: ApplicationRecord }
  | { readonly ok: false; readonly reason: string };

/** Parses a stored record. */
export function parseRecord(text: string): ParsedRecord {
  try {
    const record: unknown = JSON.parse(text);
    if (isRecord(record)) return { ok: true, record };
    return { ok: false, reason: "it lacks fields of a record" };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

const textFields = ["key", "protocol", "id", "namespace", "podName"] as const;

function isRecord(value: unknown): value is ApplicationRecord {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    textFields.every((field) => typeof fields.get(field) === "string") &&
    typeof fields.get("acceptedMs") === "number" &&
    typeof fields.get("attempt") === "number" &&
    typeof fields.get("number") === "number" &&
    typeof fields.get("submission") === "object"
  );
}
