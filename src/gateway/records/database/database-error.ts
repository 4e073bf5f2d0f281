import { messageOf } from "../../../errors/message-of.ts";

/** Kinds of failures of SQLite by the names of its result codes. Source: SQLite, "Result and Error Codes". */
const inUse = /^SQLITE_(BUSY|LOCKED)/;
const damaged = /^SQLITE_(NOTADB|CORRUPT)/;

/** Returns whether another process uses a database. */
export function isInUse(error: unknown): boolean {
  return inUse.test(codeOf(error));
}

/** Returns whether a file is not a database, or a damaged one. */
export function isDamaged(error: unknown): boolean {
  return damaged.test(codeOf(error));
}

/** Returns the message of a failure as a part of a sentence. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, "");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
