import type { SparkSettings } from "../conf/entries/spark-settings.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import type { UserStep } from "../spec/user-steps/user-step.ts";
import type { ExtraSettings } from "./client-options.ts";

/**
 * Options that every call of a client accepts.
 *
 * @example
 * ```ts
 * const options: CallOptions = { signal: AbortSignal.timeout(10_000) };
 * ```
 */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. @default never */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Python of an application.
 *
 * @example
 * ```ts
 * const python: PythonOptions = { files: ["deps.zip"], executable: "python3.12" };
 * ```
 */
export interface PythonOptions {
  /** Files for the module search path: .py, .zip, .egg; `--py-files`. @default none */
  readonly files?: readonly string[] | undefined;
  /** Python of driver and executors, `spark.pyspark.python`. @default that of the image */
  readonly executable?: string | undefined;
  /** Python of the driver, `spark.pyspark.driver.python`. @default `executable` */
  readonly driverExecutable?: string | undefined;
}

/**
 * An application to submit. Options without a counterpart on the command line of `spark-submit` name their setting.
 *
 * @example
 * ```ts
 * const nightly: SubmitOptions<"4.3"> = {
 *   app: "local:///opt/app/nightly.py",
 *   args: ["2026-01-31"],
 *   image: "registry.example/etl:7",
 *   conf: { "spark.executor.instances": 4, "spark.executor.memory": "8g" },
 * };
 * ```
 */
export interface SubmitOptions<Line extends SparkLine = SparkLine> extends CallOptions {
  /** Jar, Python file or R file: a path of this machine, a URI, or a path of the image, `local:///…`. */
  readonly app: string;
  /** Main class of a jar. @default none */
  readonly mainClass?: string | undefined;
  /** Name of the application. @default the setting, else derived from class or file */
  readonly name?: string | undefined;
  /** Arguments of the application. @default none */
  readonly args?: readonly string[] | undefined;
  /** Settings with their types. They take precedence over those of the client. @default none */
  readonly conf?: SparkSettings<Line> | undefined;
  /** Further settings, with any key that begins with `spark.`. They take precedence over `conf`. @default none */
  readonly extraConf?: ExtraSettings | undefined;
  /** Address of the API, `k8s://https://HOST:PORT`. @default that of the client */
  readonly master?: string | undefined;
  /** Namespace. @default that of the client */
  readonly namespace?: string | undefined;
  /** Image of driver and executors, `spark.kubernetes.container.image`. @default the setting */
  readonly image?: string | undefined;
  /** Files for the working directory of driver and executors. @default none */
  readonly files?: readonly string[] | undefined;
  /** Jars for the class path of driver and executors. @default none */
  readonly jars?: readonly string[] | undefined;
  /** Archives that are unpacked in the working directory: .zip, .tar.gz, .jar; `archive.zip#name`. @default none */
  readonly archives?: readonly string[] | undefined;
  /** Python files and interpreters. @default none, and those of the image */
  readonly python?: PythonOptions | undefined;
  /** Maven coordinates, `group:artifact:version`. @default none */
  readonly packages?: readonly string[] | undefined;
  /** Maven modules that are left out, `group:artifact`. @default none */
  readonly excludePackages?: readonly string[] | undefined;
  /** Maven repositories besides Maven Central. @default none */
  readonly repositories?: readonly string[] | undefined;
  /** User whom the application impersonates. @default none */
  readonly proxyUser?: string | undefined;
  /** File with settings, instead of `spark-defaults.conf`. @default that of the client */
  readonly propertiesFile?: string | undefined;
  /**
   * Identity of the submission: several calls with the same token create one application, and all return it. @default each call creates
   * an application
   */
  readonly token?: string | undefined;
  /** Steps that change the driver's pod, after all others. @default none */
  readonly steps?: readonly UserStep[] | undefined;
}
