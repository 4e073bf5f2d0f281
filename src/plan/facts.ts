import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";
import type { Digest } from "../values/staged-entry.ts";

/**
 * What the outside told us before planning began: files, environment, clock, random ids. With the same facts and the
 * same settings, the same manifests come out.
 */
export interface Facts extends SubmissionIds {
  /** As the first comment lines of spark.properties show it, e.g. `Fri Nov 20 14:55:47 UTC 2026`. */
  readonly submitDate: string;
  /** The user that runs the submission: HADOOP_USER_NAME, else the operating system's. */
  readonly userName: string;
  /** The variables of the submitter that steps look at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Regular files of the configuration directory; `undefined` when there is no directory. */
  readonly confDirectory: ConfDirectory | undefined;
  /** Text of `spark.kubernetes.driver.podTemplateFile`, parsed; still to be checked. */
  readonly driverTemplate: unknown;
  /** Text of `spark.kubernetes.executor.podTemplateFile`. */
  readonly executorTemplateText: string | undefined;
  /** The same, parsed, where we add to it. */
  readonly executorTemplate?: unknown;
  /** Base64 of `spark.kubernetes.authenticate.driver.{caCertFile,clientKeyFile,clientCertFile}`, by setting key. */
  readonly credentialFiles: StringMap;
  /** Of each local dependency of the submission, in their order. */
  readonly dependencies: readonly DependencyFacts[];
  /** What HADOOP_CONF_DIR names; `undefined` when the variable is not set. */
  readonly hadoopDirectory: HadoopDirectory | undefined;
  readonly kerberos: KerberosFiles;
  /** Volcano's PodGroup template, parsed; still to be checked. */
  readonly podGroupTemplate: unknown;
  /** The address at which the driver finds the API, when it is not `https://kubernetes.default.svc`. */
  readonly driverMaster: string | undefined;
}

/** What tells one submission from all others. */
export interface SubmissionIds {
  readonly appId: AppId;
  /** Unique parts of names: 6 random hex digits and the clock (ms) in hex. Source: Spark KubernetesUtils.uniqueID. */
  readonly uniqueIds: {
    readonly resourceNamePrefix: string;
    readonly driverService: string;
    readonly confMap: string;
    /** Only of a submission that others may be sending at the same moment: what tells this attempt from theirs. */
    readonly attempt?: string;
  };
  /** For the default local directory `/var/data/spark-<uuid>`. */
  readonly localDirUuid: string;
}

/** What there is of a local dependency, and the unique part of where its copy goes. */
export interface DependencyFacts {
  /** 0 of a folder; `undefined` when there is neither. */
  readonly sizeBytes: number | undefined;
  readonly uuid: string;
  /** Of a file that goes where the driver mounts it; absent of all others. */
  readonly content?: DependencyContent;
}

/** What is in a local dependency. */
export interface DependencyContent {
  readonly digest: Digest;
  readonly isExecutable: boolean;
  /** Absent where all files together are too large to be carried in objects. */
  readonly base64?: string;
}

/** The configuration directory of the submitter. */
export interface ConfDirectory {
  readonly path: string;
  readonly files: readonly ConfFile[];
}

/** One file of it. */
export interface ConfFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** `undefined` when it is not UTF-8. */
  readonly text: string | undefined;
}

/** The Hadoop configuration of the submitter. */
export interface HadoopDirectory {
  readonly path: string;
  /** Its regular files; `undefined` when there is no such directory. Empty when its step is left out. */
  readonly files: readonly SubmitterFile[] | undefined;
}

/** What a submitter has to log in to Kerberos with; each `undefined` when it is not asked for. */
export interface KerberosFiles {
  /** Of `spark.kubernetes.kerberos.krb5.path`. */
  readonly krb5: SubmitterFile | undefined;
  /** Of `spark.kerberos.keytab`, where it is a file of this machine. */
  readonly keytab: SubmitterFile | undefined;
  /** Of HADOOP_TOKEN_FILE_LOCATION. */
  readonly tokens: TokenFile | undefined;
}

/** A file of the submitter's machine that goes to the driver. */
export interface SubmitterFile {
  /** Without its directory. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file with delegation tokens. */
export interface TokenFile {
  readonly path: string;
  /** `undefined` when it is not there, or cannot be read. */
  readonly bytes: Uint8Array | undefined;
}
