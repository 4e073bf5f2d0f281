import { createHash } from "node:crypto";
import { orThrow } from "../errors/submit-error.ts";
import type { SparkApplication } from "../spark-application/application.ts";
import {
  type CheckedApplication,
  type CheckOptions,
  checkApplication,
} from "../spark-application/check-application.ts";

/** Options of reading an application. */
export type LoadOptions = Omit<CheckOptions, "md5">;

/** Checks and translates an application. @throws SUBMIT_ERR_MANIFEST_…: all problems together */
export function loadApplication(file: string, application: SparkApplication, options: LoadOptions): CheckedApplication {
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  return orThrow(checkApplication(file, application, { ...options, md5 }));
}
