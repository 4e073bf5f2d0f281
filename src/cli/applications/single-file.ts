import { submitError } from "../../errors/submit-error.ts";
import type { ParsedOptions } from "../parsed-options.ts";

/** Returns the file of a command that accepts one. @throws SUBMIT_ERR_OPTIONS_EXCLUSIVE */
export function singleFile({ values }: Pick<ParsedOptions<never, "-f" | "--file">, "values">): string | undefined {
  const files = (["-f", "--file"] as const).flatMap((name) => values(name).map((file) => ({ name, file })));
  const [first, second] = files;
  if (first !== undefined && second !== undefined)
    throw submitError("SUBMIT_ERR_OPTIONS_EXCLUSIVE", {
      first: `${first.name} ${first.file}`,
      second: `${second.name} ${second.file}`,
    });
  return first?.file;
}
