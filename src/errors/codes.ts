import { commandLineCodes } from "./codes/command-line.ts";
import { commandCodes } from "./codes/commands.ts";
import { dependencyCodes } from "./codes/dependencies.ts";
import { imageCodes } from "./codes/images.ts";
import { jvmCodes } from "./codes/jvm.ts";
import { kerberosCodes } from "./codes/kerberos.ts";
import { kubernetesCodes } from "./codes/kubernetes.ts";
import { localClusterCodes } from "./codes/local-cluster.ts";
import { manifestCodes } from "./codes/manifests.ts";
import { packageCodes } from "./codes/packages.ts";
import { pythonCodes } from "./codes/python.ts";
import { settingCodes } from "./codes/settings.ts";
import { setupCodes } from "./codes/setup.ts";
import { shuffleCodes } from "./codes/shuffle.ts";
import { stagingCodes } from "./codes/staging.ts";
import { standaloneCodes } from "./codes/standalone.ts";
import { yarnCodes } from "./codes/yarn.ts";
import type { ErrorCodeEntry } from "./error-code-entry.ts";

/** All error codes with their texts and hints. Nothing on the path of a successful submission may load this module. */
export const errorCodes = {
  ...commandLineCodes,
  ...commandCodes,
  ...settingCodes,
  ...dependencyCodes,
  ...packageCodes,
  ...pythonCodes,
  ...kubernetesCodes,
  ...stagingCodes,
  ...shuffleCodes,
  ...standaloneCodes,
  ...kerberosCodes,
  ...yarnCodes,
  ...jvmCodes,
  ...localClusterCodes,
  ...imageCodes,
  ...setupCodes,
  ...manifestCodes,
};

/**
 * The name of an error code, e.g. `SUBMIT_ERR_ARG_UNKNOWN`. A released code never changes its meaning.
 *
 * @example
 * ```ts
 * const code: ErrorCode = "SUBMIT_ERR_MASTER_MISSING";
 * ```
 */
export type ErrorCode = keyof typeof errorCodes;

type FieldsByCode = { readonly [C in ErrorCode]: Parameters<(typeof errorCodes)[C]["text"]>[0] };

/** The values that the message and the hint of a code are built from. */
export type ErrorFields<C extends ErrorCode> = FieldsByCode[C];

/** The entries of all codes, by code. */
export type ErrorEntries = { readonly [C in ErrorCode]: ErrorCodeEntry<ErrorFields<C>> };

/** Returns the entry of a code. A function, because the bundler can load a module on the first call of its functions only. */
export function catalogEntry<C extends ErrorCode>(code: C): ErrorEntries[C] {
  const entries: ErrorEntries = errorCodes;
  return entries[code];
}
