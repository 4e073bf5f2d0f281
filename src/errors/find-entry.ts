import { catalogueEntry, type ErrorCode, type ErrorRows } from "./codes.ts";
import { usageCodes } from "./usage-codes.ts";

/** One row of the catalogue, most of which stays unread where a command line is refused. */
export function errorCodeEntry<C extends ErrorCode>(code: C): ErrorRows[C] {
  const rows: Partial<ErrorRows> = usageCodes;
  return rows[code] ?? catalogueEntry(code);
}
