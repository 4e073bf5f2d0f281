import type { Issue } from "../../errors/issue.ts";
import { invalidOption } from "../invalid-option.ts";

/** Returns the problems of parameters that a request does not have. */
export function unknownParameters(query: URLSearchParams, names: readonly string[]): readonly Issue[] {
  const unknown = [...new Set(query.keys())].filter((name) => !names.includes(name));
  return unknown.map((name) => invalidOption(name, query.get(name) ?? "", `only the parameters ${names.join(", ")}`));
}
