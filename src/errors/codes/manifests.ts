import { didYouMean } from "../did-you-mean.ts";
import { define } from "../error-code-entry.ts";

/** Codes about files of applications. */
export const manifestCodes = {
  SUBMIT_ERR_MANIFEST_UNREADABLE: define<{ file: string; reason: string; nearest?: string | undefined }>({
    kind: "dependency",
    text: ({ file, reason }) => `Cannot read ${file}: ${reason}.`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Pass the path of a file of an application, in YAML or JSON.`,
  }),
  SUBMIT_ERR_MANIFEST_KIND: define<{ file: string; found: string; allowed: string }>({
    kind: "setting",
    text: ({ file, found }) => `${file} contains ${found}.`,
    hint: ({ allowed }) => `Use a file with ${allowed}.`,
  }),
  SUBMIT_ERR_MANIFEST_FIELD: define<{ file: string; path: string; problem: string }>({
    kind: "setting",
    text: ({ file, path, problem }) => `${file}: ${path} ${problem}.`,
    hint: ({ problem }) =>
      problem.endsWith(", not a string")
        ? "Put the value in quotes: in YAML, text that looks like a number or like true or false needs them."
        : "Correct the field.",
  }),
  SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN: define<{ file: string; path: string; nearest: string | undefined }>({
    kind: "setting",
    text: ({ file, path }) => `${file}: there is no field ${path}.`,
    hint: ({ nearest }) => `${didYouMean(nearest)}Remove it: it would have no effect.`,
  }),
  SUBMIT_ERR_MANIFEST_RULE: define<{ file: string; path: string; problem: string; advice: string }>({
    kind: "setting",
    text: ({ file, path, problem }) => `${file}: ${path} ${problem}.`,
    hint: ({ advice }) => advice,
  }),
  SUBMIT_ERR_MANIFEST_RESERVED_KEY: define<{ file: string; key: string; instead: string }>({
    kind: "setting",
    text: ({ file, key }) => `${file}: spec.sparkConf must not contain ${key}: the Spark operator rejects it.`,
    hint: ({ instead }) => `${instead} With --reserved-keys warn, the file is accepted.`,
  }),
  SUBMIT_ERR_MANIFEST_DRIVER_CONFLICT: define<{ file: string; application: string; driver: string }>({
    kind: "setting",
    text: ({ file, application, driver }) =>
      `${file}: the driver ${driver} exists, but firesteel apply did not create it for ${application}.`,
    hint: ({ driver }) =>
      `Choose another name of the application or its driver, or delete the driver: firesteel kill ${driver}`,
  }),
  SUBMIT_ERR_PROFILE_UNKNOWN: define<{
    name: string;
    known: readonly string[];
    nearest: string | undefined;
    files: readonly string[];
  }>({
    kind: "setting",
    text: ({ name, files }) => `There is no profile ${name} in ${files.join(" or ")}.`,
    hint: ({ known, nearest }) =>
      known.length === 0
        ? "Write profiles into one of these files: profiles: {NAME: {SETTING: VALUE}}."
        : `${didYouMean(nearest)}Use one of: ${known.join(", ")}.`,
  }),
  SUBMIT_ERR_MANIFEST_SCHEDULE: define<{ file: string; schedule: string; reason: string }>({
    kind: "setting",
    text: ({ file, schedule, reason }) => `${file}: invalid schedule "${schedule}": ${reason}.`,
    hint: () => 'Use five cron fields, such as "30 2 * * *", a descriptor such as @daily, or "@every 1h".',
  }),
};
