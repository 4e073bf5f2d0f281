import { commandLineCodes } from "./codes/command-line.ts";
import { catalogEntry, type ErrorCode, type ErrorEntries } from "./codes.ts";

/** Returns the entry of a code; for the codes of the command line without loading the others. */
export function errorCodeEntry<C extends ErrorCode>(code: C): ErrorEntries[C] {
  const entries: Partial<ErrorEntries> = commandLineCodes;
  return entries[code] ?? catalogEntry(code);
}
