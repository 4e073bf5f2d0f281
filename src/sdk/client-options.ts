import type { SparkSettings } from "../conf/entries/spark-settings.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import type { Host } from "../host/host.ts";
import type { LogLevel } from "../host/log.ts";
import type { OpenClient } from "../masters/master-strategy.ts";

/**
 * Settings without a type: those that Firesteel does not know, and values that are known only at run time. Keys begin with `spark.`.
 *
 * @example
 * ```ts
 * const extraConf: ExtraSettings = { "spark.mycompany.team": "billing", "spark.executor.memory": process.env.MEMORY ?? "2g" };
 * ```
 */
export type ExtraSettings = Readonly<Record<string, string | number | boolean>>;

/**
 * A line that Firesteel would write to stderr on a command line.
 *
 * @example
 * ```ts
 * const log = ({ level, source, message }: LogLine) => level === "WARN" && console.warn(`${source}: ${message}`);
 * ```
 */
export interface LogLine {
  /** Severity, as Spark names it. */
  readonly level: LogLevel;
  /** Part of Firesteel, or of Spark's client, that reports. */
  readonly source: string;
  /** Text, which can have several lines. */
  readonly message: string;
}

/**
 * Credentials of an API, instead of those of a kubeconfig. A cluster of `firesteel/local-cluster` has these properties.
 *
 * @example
 * ```ts
 * const credentials: Credentials = { certificateAuthority: pem, token };
 * ```
 */
export interface Credentials {
  /** Certificates of the authority that signed the API's certificate, in PEM. */
  readonly certificateAuthority: string;
  /** Bearer token. */
  readonly token: string;
}

/**
 * Cluster and defaults of all submissions of a client.
 *
 * @example
 * ```ts
 * const options: FiresteelOptions<"4.3"> = { master: "k8s://https://203.0.113.7:6443", namespace: "jobs", sparkVersion: "4.3" };
 * ```
 */
export interface FiresteelOptions<Line extends SparkLine = SparkLine> {
  /** Address of the API, `k8s://https://HOST:PORT`. @default that of the settings, of the environment or of the kubeconfig */
  readonly master?: string | undefined;
  /** Namespace of the applications. @default that of the settings, else `default` */
  readonly namespace?: string | undefined;
  /** Context of the kubeconfig. @default its current context */
  readonly context?: string | undefined;
  /** Credentials, instead of those of a kubeconfig. @default as for `spark-submit` */
  readonly credentials?: Credentials | undefined;
  /** Release line of Spark, which also determines which settings compile. @default the newest, and the settings of all lines */
  readonly sparkVersion?: Line | undefined;
  /** Settings of all submissions. @default none */
  readonly conf?: SparkSettings<Line> | undefined;
  /** Further settings of all submissions, with any key that begins with `spark.`. They take precedence over `conf`. @default none */
  readonly extraConf?: ExtraSettings | undefined;
  /** File with settings, instead of `spark-defaults.conf`. @default none */
  readonly propertiesFile?: string | undefined;
  /** Environment variables that Firesteel reads, e.g. KUBECONFIG and SPARK_CONF_DIR. @default those of the process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Receives what Firesteel reports while it works. @default not reported */
  readonly log?: ((line: LogLine) => void) | undefined;
}

/**
 * Machine and connections of a client.
 *
 * @example
 * ```ts
 * const connections = sharedConnections();
 * const firesteel = new Firesteel({ namespace: "jobs" }, { host: nodeHost(), openClient: connections.openClient });
 * ```
 */
export interface FiresteelEnvironment {
  /** Machine on which the client runs. @default this machine */
  readonly host?: Host | undefined;
  /** Connects to an API. @default over connections that all calls of the client share */
  readonly openClient?: OpenClient | undefined;
}
