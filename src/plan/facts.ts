import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";

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
  /** Base64 of `spark.kubernetes.authenticate.driver.{caCertFile,clientKeyFile,clientCertFile}`, by setting key. */
  readonly credentialFiles: StringMap;
  /** Of each local dependency of the submission, in their order. */
  readonly dependencies: readonly DependencyFacts[];
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
  };
  /** For the default local directory `/var/data/spark-<uuid>`. */
  readonly localDirUuid: string;
}

/** What there is of a local dependency, and the unique part of where its copy goes. */
export interface DependencyFacts {
  /** `undefined` when it is no file. */
  readonly sizeBytes: number | undefined;
  readonly uuid: string;
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
