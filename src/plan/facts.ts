import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";
import type { Digest } from "../values/staged-entry.ts";

/**
 * External inputs of planning: files, environment, clock and random IDs. Equal facts and settings produce equal manifests.
 *
 * @example
 * ```ts
 * const dateOf = ({ submitDate }: Facts) => submitDate;
 * ```
 */
export interface Facts extends SubmissionIds {
  /** Date in the first comment lines of spark.properties, e.g. `Fri Nov 20 14:55:47 UTC 2026`. */
  readonly submitDate: string;
  /** The user that runs the submission: HADOOP_USER_NAME, else the operating system's. */
  readonly userName: string;
  /** Variables of the submitter that the steps read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Regular files of the configuration directory; `undefined` when there is no directory. */
  readonly confDirectory: ConfDirectory | undefined;
  /** YAML of `spark.kubernetes.driver.podTemplateFile`, parsed but not checked. */
  readonly driverTemplate: unknown;
  /** Text of `spark.kubernetes.executor.podTemplateFile`. */
  readonly executorTemplateText: string | undefined;
  /** The same parsed, if Firesteel adds to the template. */
  readonly executorTemplate?: unknown;
  /** Base64 of `spark.kubernetes.authenticate.driver.{caCertFile,clientKeyFile,clientCertFile}`, by setting key. */
  readonly credentialFiles: StringMap;
  /** One item per local dependency of the submission, in the order of `localDependencies`. */
  readonly dependencies: readonly DependencyFacts[];
  /** Directory that HADOOP_CONF_DIR names; `undefined` when the variable is not set. */
  readonly hadoopDirectory: HadoopDirectory | undefined;
  readonly kerberos: KerberosFiles;
  /** Volcano's PodGroup template, parsed but not checked. */
  readonly podGroupTemplate: unknown;
  /** Address of the API server for the driver; `undefined` for `https://kubernetes.default.svc`. */
  readonly driverMaster: string | undefined;
}

/** IDs that distinguish one submission from all others. */
export interface SubmissionIds {
  readonly appId: AppId;
  /** Unique parts of names: 6 random hex digits and the clock (ms) in hex. Source: Spark KubernetesUtils.uniqueID. */
  readonly uniqueIds: {
    readonly resourceNamePrefix: string;
    readonly driverService: string;
    readonly confMap: string;
    /** Distinguishes concurrent attempts at the same submission; absent when there can be only one attempt. */
    readonly attempt?: string;
  };
  /** For the default local directory `/var/data/spark-<uuid>`. */
  readonly localDirUuid: string;
}

/** Size and content of a local dependency, and the unique part of its copy's path. */
export interface DependencyFacts {
  /** 0 for a directory; `undefined` when the path does not exist. */
  readonly sizeBytes: number | undefined;
  /** Existing path that a path that does not exist can mean. */
  readonly nearest?: string | undefined;
  readonly uuid: string;
  /** Only for a file that the driver mounts. */
  readonly content?: DependencyContent;
}

/** Content of a local dependency. */
export interface DependencyContent {
  readonly digest: Digest;
  readonly isExecutable: boolean;
  /** Absent when all files together are too large for Kubernetes objects. */
  readonly base64?: string;
}

/** Configuration directory of the submitter. */
export interface ConfDirectory {
  readonly path: string;
  readonly files: readonly ConfFile[];
}

/** File of the configuration directory. */
export interface ConfFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** `undefined` when it is not UTF-8. */
  readonly text: string | undefined;
}

/** Hadoop configuration of the submitter. */
export interface HadoopDirectory {
  readonly path: string;
  /** Regular files; `undefined` when the directory does not exist, empty when its step is excluded. */
  readonly files: readonly SubmitterFile[] | undefined;
}

/** Files for a Kerberos login; `undefined` when the submission does not use them. */
export interface KerberosFiles {
  /** File of `spark.kubernetes.kerberos.krb5.path`. */
  readonly krb5: SubmitterFile | undefined;
  /** File of `spark.kerberos.keytab`, if it is on this machine. */
  readonly keytab: SubmitterFile | undefined;
  /** File of HADOOP_TOKEN_FILE_LOCATION. */
  readonly tokens: TokenFile | undefined;
  /** Result of the login at submission; absent without one. */
  readonly login?: KerberosFacts;
}

/** User and tokens of a login. */
export interface KerberosFacts {
  /** Short name of the principal. */
  readonly userName: string;
  /** File with all tokens for the driver; `undefined` if it needs none. */
  readonly tokens: Uint8Array | undefined;
}

/** File of the submitter's machine that is copied to the driver. */
export interface SubmitterFile {
  /** Base name. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** File with delegation tokens. */
export interface TokenFile {
  readonly path: string;
  /** `undefined` when the file does not exist or cannot be read. */
  readonly bytes: Uint8Array | undefined;
}
