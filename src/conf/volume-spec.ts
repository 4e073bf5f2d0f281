import { type Issue, issue } from "../errors/issue.ts";

/** How a volume appears in the container; empty texts are sent as such. */
export interface VolumeMountSpec {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
  readonly subPath: string;
  readonly subPathExpr: string;
}

/** A directory or file of the node. */
export interface HostPathSpec extends VolumeMountSpec {
  readonly type: "hostPath";
  readonly path: string;
  /** As Kubernetes names it, e.g. `DirectoryOrCreate`; empty unless given. */
  readonly hostPathType: string;
}

/** Scratch space of the pod. */
export interface EmptyDirSpec extends VolumeMountSpec {
  readonly type: "emptyDir";
  /** `Memory`, or empty. */
  readonly medium: string;
  readonly sizeLimit: string | undefined;
}

/** A share of an NFS server. */
export interface NfsSpec extends VolumeMountSpec {
  readonly type: "nfs";
  readonly path: string;
  readonly server: string;
}

/** A claim that exists, or is made with the pod. */
export interface PersistentVolumeClaimSpec extends VolumeMountSpec {
  readonly type: "persistentVolumeClaim";
  readonly claimName: string;
  /** A claim is made where this and `sizeLimit` are given. */
  readonly storageClass: string | undefined;
  readonly sizeLimit: string | undefined;
  /** Of the claim that is made. */
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
}

/** One volume of a role. Sizes are Kubernetes quantities, kept as written. */
export type VolumeSpec = HostPathSpec | EmptyDirSpec | NfsSpec | PersistentVolumeClaimSpec;

/** Refuses volumes of one container that share a mount path: SUBMIT_ERR_MOUNT_PATH_DUPLICATE. */
export function checkMountPaths(specs: readonly VolumeSpec[]): readonly Issue[] {
  const paths = specs.map(({ mountPath }) => mountPath);
  const duplicates = new Set(paths.filter((path, index) => paths.indexOf(path) !== index));
  return duplicates.size === 0 ? [] : [issue("SUBMIT_ERR_MOUNT_PATH_DUPLICATE", { paths: [...duplicates] })];
}
