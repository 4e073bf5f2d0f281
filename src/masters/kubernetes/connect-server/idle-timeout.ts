import { type Issue, issue } from "../../../errors/issue.ts";
import { parseDuration } from "../../../values/duration.ts";

/** Parses the value of `--idle-timeout`, e.g. `30m`, to seconds. Errors: SUBMIT_ERR_ARG_VALUE. */
export function parseIdleTimeout(text: string): { readonly seconds: number; readonly issues: readonly Issue[] } {
  const parsed = parseDuration(text, "s");
  if (parsed.ok && parsed.value >= 0) return { seconds: Number(parsed.value), issues: [] };
  const allowed = "a duration such as 90s, 30m or 2h, or 0 for none";
  return { seconds: 0, issues: [issue("SUBMIT_ERR_ARG_VALUE", { option: "--idle-timeout", value: text, allowed })] };
}
