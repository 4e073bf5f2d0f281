import { SubmitError } from "../../errors/submit-error.ts";
import type { ReservedKeys } from "../../spark-application/reserved-keys.ts";
import { unknownChoice } from "../unknown-name.ts";

/** Parses the value of `--reserved-keys`. @throws SUBMIT_ERR_ARG_VALUE */
export function reservedKeysOf(value = "reject"): ReservedKeys {
  if (value === "reject" || value === "warn") return value;
  throw new SubmitError([unknownChoice({ option: "--reserved-keys", value, choices: ["reject", "warn"] })]);
}
