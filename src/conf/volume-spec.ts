import { type Issue, issue } from "../errors/issue.ts";

/** Mount of a volume in the container. */
export interface VolumeMountSpec {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
  readonly subPath: string;
  readonly subPathExpr: string;
}

/** Directory or file of the node. */
interface HostPathSpec extends VolumeMountSpec {
  readonly type: "hostPath";
  readonly path: string;
  /** Kubernetes type, e.g. `DirectoryOrCreate`; empty if not set. */
  readonly hostPathType: string;
}

/** Empty directory that exists as long as the pod. */
interface EmptyDirSpec extends VolumeMountSpec {
  readonly type: "emptyDir";
  /** `Memory` or empty. */
  readonly medium: string;
  readonly sizeLimit: string | undefined;
}

/** Share of an NFS server. */
interface NfsSpec extends VolumeMountSpec {
  readonly type: "nfs";
  readonly path: string;
  readonly server: string;
}

/** Claim that exists or is created with the pod. */
export interface PersistentVolumeClaimSpec extends VolumeMountSpec {
  readonly type: "persistentVolumeClaim";
  readonly claimName: string;
  /** A claim is created if this and `sizeLimit` are set. */
  readonly storageClass: string | undefined;
  readonly sizeLimit: string | undefined;
  /** Labels of the created claim. */
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
}

/** Volume of a role. Sizes are Kubernetes quantities, kept as written. */
export type VolumeSpec = HostPathSpec | EmptyDirSpec | NfsSpec | PersistentVolumeClaimSpec;

/** Rejects volumes of one container that share a mount path. Errors: SUBMIT_ERR_MOUNT_PATH_DUPLICATE. */
export function checkMountPaths(specs: readonly VolumeSpec[]): readonly Issue[] {
  const paths = specs.map(({ mountPath }) => mountPath);
  const duplicates = new Set(paths.filter((path, index) => paths.indexOf(path) !== index));
  return duplicates.size === 0 ? [] : [issue("SUBMIT_ERR_MOUNT_PATH_DUPLICATE", { paths: [...duplicates] })];
}
