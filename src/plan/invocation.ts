import type { Setting } from "../conf/setting.ts";
import type { FieldName } from "./submit-fields.ts";

/**
 * Parsed command line, before files, environment and defaults are read.
 *
 * @example
 * ```ts
 * const isSubmission = ({ action }: Invocation) => action === "submit";
 * ```
 */
export type Invocation = SubmitInvocation | KillInvocation | StatusInvocation | VersionInvocation | UsageInvocation;

/**
 * Submits an application.
 *
 * @example
 * ```ts
 * const withArgs = (invocation: SubmitInvocation, appArgs: string[]): SubmitInvocation => ({ ...invocation, appArgs });
 * ```
 */
export interface SubmitInvocation extends CommandLineSettings {
  readonly action: "submit";
  /** As written: a path, a URI, `spark-internal` or the name of a shell. */
  readonly resource: string;
  /** Called as `run-example`: the class is one of Spark's examples. */
  readonly isExample: boolean;
  /** Called as `pyspark` or `sparkR`: starts a shell of that language, which starts Spark itself. */
  readonly shell?: "python" | "r";
  /** `--check`: is submitted only if `firesteel doctor` finds no failure. */
  readonly isCheckedFirst?: true;
  /** Options that Spark's launcher passes on unchanged, in their order and with repetitions. */
  readonly forwardedOptions: readonly string[];
  readonly appArgs: readonly string[];
}

/** Kills a driver. Shape of the ID: `namespace:driver-pod` or only the pod; `*` at the end is a wildcard. */
export interface KillInvocation extends CommandLineSettings {
  readonly action: "kill";
  readonly submissionId: string;
}

/** Shows the status of a driver; the ID has the same shape as for killing. */
export interface StatusInvocation extends CommandLineSettings {
  readonly action: "status";
  readonly submissionId: string;
  /** Prints JSON to stdout. */
  readonly json: boolean;
}

/** Shows the version. */
interface VersionInvocation extends CommandLineSettings {
  readonly action: "version";
}

/** Shows the usage text. */
export interface UsageInvocation extends CommandLineSettings {
  readonly action: "usage";
  /** Requested by `--help` or `--usage-error`, or shown because there are no arguments. */
  readonly reason: "help" | "error" | "nothing";
}

/** Settings on the command line. */
export interface CommandLineSettings {
  /** Values of named options. */
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  /** Settings of `--conf` and of its shorthand options; each key once. */
  readonly settings: readonly Setting[];
  /** File of `--properties-file`, which replaces spark-defaults.conf. */
  readonly propertiesFile: string | undefined;
  /** Files of `--extra-properties-file`, in order; later files take precedence. */
  readonly extraPropertiesFiles: readonly string[];
  /** Reads spark-defaults.conf even if there is a properties file. */
  readonly loadsDefaults: boolean;
  readonly supervise: boolean;
  readonly verbose: boolean;
}
