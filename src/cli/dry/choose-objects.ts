import { SubmitError } from "../../errors/submit-error.ts";
import type { Part } from "../../explain/submission-objects.ts";
import { unknownChoice } from "../unknown-name.ts";

const groups: Readonly<Record<string, readonly Part[]>> = {
  driver: ["driver"],
  resources: ["preResource", "resource"],
  executor: ["executor", "executorResource"],
};

/**
 * Returns a filter for the objects of `--only`: `driver`, `resources`, `executor` or kinds such as `Service`, separated by commas.
 *
 * @throws SUBMIT_ERR_ARG_VALUE for another name
 */
export function objectChooser(only: string | undefined): (part: Part, kind: string) => boolean {
  if (only === undefined) return () => true;
  const names = only.split(",").map((name) => name.trim());
  const invalid = names.find((name) => !(name in groups) && !/^[A-Z][A-Za-z]+$/.test(name));
  if (invalid !== undefined) {
    const choices = Object.keys(groups);
    const allowed = `${choices.join(", ")}, or a kind such as Service`;
    throw new SubmitError([unknownChoice({ option: "--only", value: invalid, choices, allowed })]);
  }
  return (part, kind) => names.some((name) => name === kind || groups[name]?.includes(part) === true);
}
