import type { Setting } from "../conf/setting.ts";
import type { FieldName } from "./submit-fields.ts";

/** What somebody asks for, as said on a command line: before files, environment and defaults are looked at. */
export type Invocation =
  | SubmitInvocation
  | KillInvocation
  | StatusInvocation
  | VersionInvocation
  | UsageInvocation;

/** Submit an application. */
export interface SubmitInvocation extends CommandLineSettings {
  readonly action: "submit";
  /** As written: a path, a URI, `spark-internal` or the name of a shell. */
  readonly resource: string;
  /** Said as `run-example`: the class is one of Spark's examples. */
  readonly isExample: boolean;
  /** Said as `pyspark` or `sparkR`: a shell of that language is wanted, which starts Spark itself. */
  readonly shell?: "python" | "r";
  /** Options that Spark's launcher hands on as they were said: in their order, and as often as they were said. */
  readonly forwardedOptions: readonly string[];
  readonly appArgs: readonly string[];
}

/** End a driver. Shape of the id: `namespace:driver-pod`, or the pod alone; a `*` may end it. */
export interface KillInvocation extends CommandLineSettings {
  readonly action: "kill";
  readonly submissionId: string;
}

/** Tell how a driver is; the id is as for killing. */
export interface StatusInvocation extends CommandLineSettings {
  readonly action: "status";
  readonly submissionId: string;
  /** As JSON on stdout. */
  readonly json: boolean;
}

/** Show the version. */
export interface VersionInvocation extends CommandLineSettings {
  readonly action: "version";
}

/** Show the usage text. */
export interface UsageInvocation extends CommandLineSettings {
  readonly action: "usage";
  /** Asked for by `--help`, by `--usage-error`, or by saying nothing at all. */
  readonly reason: "help" | "error" | "nothing";
}

/** All that is said besides the action. */
export interface CommandLineSettings {
  /** By options of their own. */
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  /** By `--conf`, and by options that are only another way to write it; each key once. */
  readonly settings: readonly Setting[];
  /** By `--properties-file`; it takes the place of spark-defaults.conf. */
  readonly propertiesFile: string | undefined;
  /** By `--extra-properties-file`, in order: a later one wins. */
  readonly extraPropertiesFiles: readonly string[];
  /** Reads spark-defaults.conf although there is a properties file. */
  readonly loadsDefaults: boolean;
  readonly supervise: boolean;
  readonly verbose: boolean;
}
