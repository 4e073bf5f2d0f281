import { submitError } from "../../errors/submit-error.ts";
import type { Part } from "../../explain/submission-objects.ts";

const groups: Readonly<Record<string, readonly Part[]>> = {
  driver: ["driver"],
  resources: ["preResource", "resource"],
  executor: ["executor", "executorResource"],
};

/**
 * Which objects `--only` wants: `driver`, `resources`, `executor`, or kinds such as `Service`; several with commas.
 *
 * @throws SUBMIT_ERR_ARG_VALUE for a word that is none of these
 */
export function objectChooser(only: string | undefined): (part: Part, kind: string) => boolean {
  if (only === undefined) return () => true;
  const wanted = only.split(",").map((word) => word.trim());
  const wrong = wanted.find((word) => !(word in groups) && !/^[A-Z][A-Za-z]+$/.test(word));
  if (wrong !== undefined) {
    const allowed = `${Object.keys(groups).join(", ")}, or a kind such as Service`;
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "--only", value: wrong, allowed });
  }
  return (part, kind) => wanted.some((word) => word === kind || groups[word]?.includes(part) === true);
}
