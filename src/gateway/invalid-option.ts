import { type Issue, issue } from "../errors/issue.ts";

/** Returns the problem of a value of an option, a setting or a parameter. */
export function invalidOption(option: string, value: string, allowed: string): Issue {
  return issue("SUBMIT_ERR_ARG_VALUE", { option, value, allowed });
}
