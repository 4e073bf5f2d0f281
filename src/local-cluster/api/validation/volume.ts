import type { PersistentVolumeClaimSpec, PersistentVolumeSpec } from "kubernetes-types/core/v1.d.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "./field-error.ts";
import { labelSelectorErrors } from "./label-selectors.ts";
import { subdomain } from "./names.ts";

/** Ways in which a volume can be reached. */
const accessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Fields of a volume's specification that say where it is. */
const sources = [
  "hostPath",
  "nfs",
  "iscsi",
  "fc",
  "csi",
  "local",
  "rbd",
  "cephfs",
  "awsElasticBlockStore",
  "gcePersistentDisk",
  "azureDisk",
  "azureFile",
  "cinder",
  "flexVolume",
  "flocker",
  "glusterfs",
  "portworxVolume",
  "quobyte",
  "scaleIO",
  "storageos",
  "vsphereVolume",
  "photonPersistentDisk",
] as const;

/** Returns the errors of the access modes of a volume or claim. */
function accessModeErrors(modes: readonly string[], field: string, missing = ""): FieldError[] {
  return [
    ...(modes.length === 0 ? [required(field, missing)] : []),
    ...modes.filter((mode) => !accessModes.includes(mode)).map((mode) => notSupported(field, mode, accessModes)),
    ...(modes.length > 1 && modes.includes("ReadWriteOncePod")
      ? [forbiddenField(field, "may not use ReadWriteOncePod with other access modes")]
      : []),
  ];
}

/** Returns the errors of the mode and class of a volume or claim. */
function volumeModeErrors(
  { volumeMode = "Filesystem", storageClassName = "" }: Pick<PersistentVolumeSpec, "volumeMode" | "storageClassName">,
  path: string,
): FieldError[] {
  const modes = ["Block", "Filesystem"];
  return [
    ...(storageClassName === ""
      ? []
      : subdomain(storageClassName).map((fault) => invalidValue(`${path}.storageClassName`, storageClassName, fault))),
    ...(modes.includes(volumeMode) ? [] : [notSupported(`${path}.volumeMode`, volumeMode, modes)]),
  ];
}

/** Returns the errors of a claim's specificationat `path`. */
export function claimErrors(spec: PersistentVolumeClaimSpec, path: string): FieldError[] {
  const storage = spec.resources?.requests?.["storage"];
  const isEnough = storage !== undefined && (parseQuantity(storage)?.nano ?? 0n) > 0n;
  const field = `${path}.resources[storage]`;
  return [
    ...accessModeErrors(spec.accessModes ?? [], `${path}.accessModes`, "at least 1 access mode is required"),
    ...labelSelectorErrors(spec.selector, `${path}.selector`),
    ...(storage === undefined ? [required(field)] : []),
    ...(storage === undefined || isEnough ? [] : [invalidValue(field, storage, "must be greater than zero")]),
    ...volumeModeErrors(spec, path),
  ];
}

/** Returns the errors of a volume's specification. */
export function volumeErrors(spec: PersistentVolumeSpec): FieldError[] {
  const { capacity, persistentVolumeReclaimPolicy: policy = "" } = spec;
  const names = Object.keys(capacity ?? {});
  const policies = ["Delete", "Recycle", "Retain"];
  return [
    ...accessModeErrors(spec.accessModes ?? [], "spec.accessModes"),
    ...(names.length === 0 ? [required("spec.capacity")] : []),
    ...(names.length === 1 && names[0] === "storage"
      ? []
      : [notSupported("spec.capacity", capacity ?? null, ["storage"])]),
    ...(names.length === 1 && names[0] === "storage" && !isPositive(capacity?.["storage"])
      ? [invalidValue("spec.capacity[storage]", capacity?.["storage"], "must be greater than zero")]
      : []),
    ...(policies.includes(policy) ? [] : [notSupported("spec.persistentVolumeReclaimPolicy", policy, policies)]),
    ...sourceErrors(spec),
    ...volumeModeErrors(spec, "spec"),
  ];
}

function isPositive(amount = "0"): boolean {
  return (parseQuantity(amount)?.nano ?? 0n) > 0n;
}

function sourceErrors(spec: PersistentVolumeSpec): FieldError[] {
  const [first, ...others] = sources.filter((source) => spec[source] !== undefined);
  const { hostPath, local, nodeAffinity } = spec;
  const isLeaving = hostPath?.path.split("/").includes("..") === true;
  return [
    ...(first === undefined ? [required("spec", "must specify a volume type")] : []),
    ...others.map((source) => forbiddenField(`spec.${source}`, "may not specify more than 1 volume type")),
    ...(isLeaving ? [invalidValue("spec.hostPath.path", hostPath?.path, "must not contain '..'")] : []),
    ...(local !== undefined && nodeAffinity === undefined
      ? [required("spec.nodeAffinity", "Local volume requires node affinity")]
      : []),
  ];
}
