import { issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";

/** Parses the value of `--port`. @throws SUBMIT_ERR_ARG_VALUE */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  const allowed = "a port, 0 to 65535";
  throwIssues([issue("SUBMIT_ERR_ARG_VALUE", { option: "--port", value: text, allowed })]);
  return undefined;
}
