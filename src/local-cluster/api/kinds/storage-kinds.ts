import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  PersistentVolumeSpec,
} from "kubernetes-types/core/v1.d.ts";
import type { StorageClass } from "kubernetes-types/storage/v1.d.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { isSame } from "../json.ts";
import type { Draft } from "../object.ts";
import { timestamp } from "../timestamp.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../validation/field-error.ts";
import { qualifiedName } from "../validation/names.ts";
import { warnOfFractions } from "../validation/pod/resources.ts";
import { negativeAmounts } from "../validation/status-counts.ts";
import { unifiedDiff } from "../validation/unified-diff.ts";
import { claimErrors, volumeErrors } from "../validation/volume.ts";
import type { Rules } from "./rules.ts";

type ClaimObject = Draft & { spec: PersistentVolumeClaimSpec; status: PersistentVolumeClaimStatus };
type VolumeObject = Draft & { spec: PersistentVolumeSpec; status: object };
type ClassObject = Draft &
  Pick<StorageClass, "parameters" | "allowedTopologies" | "provisioner"> & {
    reclaimPolicy?: string;
    volumeBindingMode?: string;
  };

/** The rules of PersistentVolumeClaims. */
export const claimRules: Rules<ClaimObject> = {
  hasStatus: true,
  showsDeleted: true,
  fill({ spec, status }) {
    spec.volumeMode ??= "Filesystem";
    if ("phase" in status === false) Object.assign(status, { phase: "Pending" });
  },
  prepare(claim, { store }) {
    claim.status = { phase: "Pending" };
    claim.metadata.finalizers = withFinalizer(claim, "kubernetes.io/pvc-protection");
    setDataSource(claim.spec);
    const standard = store
      .list("storageclasses.storage.k8s.io")
      .find(({ metadata }) => metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true");
    if (standard !== undefined) claim.spec.storageClassName ??= standard.metadata.name;
  },
  validate: ({ spec }) => claimErrors(spec, "spec"),
  validateStatus: ({ status }) => negativeAmounts(status.capacity, (resource) => `status.capacity[${resource}]`),
  warn: ({ spec }) => warnOfFractions(spec.resources ?? {}, "spec.resources", ["storage"]),
  validateUpdate(next, old) {
    const text =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    const [before, after] = [shownSpec(old.spec), shownSpec(fixedSpec(next, old))];
    const shrinks = isBound(old) && storageOf(next.spec) < storageOf(old.spec);
    return [
      ...(isSame(before, after) ? [] : [forbiddenField("spec", `${text}\n${unifiedDiff(before, after)}`)]),
      ...(shrinks
        ? [forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity")]
        : []),
      ...claimErrors(next.spec, "spec"),
    ];
  },
};

/** Copies a known data source, a claim or snapshot, to `dataSourceRef`; removes unknown ones. */
function setDataSource(spec: PersistentVolumeClaimSpec): void {
  const { dataSource } = spec;
  if (dataSource === undefined) return;
  const isKnown = ["PersistentVolumeClaim", "VolumeSnapshot"].includes(dataSource.kind);
  if (isKnown) spec.dataSourceRef ??= dataSource;
  else delete spec.dataSource;
}

function isBound({ status }: ClaimObject): boolean {
  return "phase" in status && status.phase === "Bound";
}

/** Returns the new specification without allowed changes: a bound claim may request more, and a volume may bind a claim. */
function fixedSpec({ spec }: ClaimObject, old: ClaimObject): PersistentVolumeClaimSpec {
  const fixed = { ...spec };
  if (old.spec.volumeName === undefined) delete fixed.volumeName;
  if (isBound(old) && old.spec.resources !== undefined) fixed.resources = old.spec.resources;
  return fixed;
}

/** Converts a specification to the server's internal field names, for diffs in messages. */
function shownSpec(spec: PersistentVolumeClaimSpec): object {
  return {
    AccessModes: spec.accessModes ?? null,
    Selector: spec.selector ?? null,
    Resources: { Limits: spec.resources?.limits ?? null, Requests: spec.resources?.requests ?? null },
    VolumeName: spec.volumeName ?? "",
    StorageClassName: spec.storageClassName ?? null,
    VolumeMode: spec.volumeMode ?? null,
    DataSource: spec.dataSource ?? null,
    DataSourceRef: spec.dataSourceRef ?? null,
    VolumeAttributesClassName: null,
  };
}

function storageOf(spec: PersistentVolumeClaimSpec): bigint {
  return parseQuantity(spec.resources?.requests?.["storage"] ?? "0")?.nano ?? 0n;
}

/** The rules of PersistentVolumes. */
export const volumeRules: Rules<VolumeObject> = {
  hasStatus: true,
  fill({ spec }) {
    spec.persistentVolumeReclaimPolicy ??= "Retain";
    spec.volumeMode ??= "Filesystem";
    if (spec.hostPath !== undefined) spec.hostPath.type ??= "";
  },
  prepare(volume, { clock }) {
    volume.status = { phase: "Pending", lastPhaseTransitionTime: timestamp(clock.now()) };
    volume.metadata.finalizers = withFinalizer(volume, "kubernetes.io/pv-protection");
  },
  validate: ({ spec }) => volumeErrors(spec),
};

/** The rules of StorageClasses. */
export const storageClassRules: Rules<ClassObject> = {
  fill(object) {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
  validate: classErrors,
  validateUpdate: (next, old) => [
    ...classErrors(next),
    ...(["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const)
      .filter((field) => !isSame(next[field], old[field]))
      .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
  ],
};

function classErrors({
  provisioner,
  reclaimPolicy = "",
  volumeBindingMode = "",
  ...others
}: ClassObject): FieldError[] {
  const policies = ["Delete", "Retain"];
  const modes = ["Immediate", "WaitForFirstConsumer"];
  const { parameters = {}, allowedTopologies = [] } = others;
  return [
    ...(provisioner === "" ? [required("provisioner", provisioner)] : []),
    ...(provisioner === "" ? [] : qualifiedName(provisioner.toLowerCase())).map((fault) =>
      invalidValue("provisioner", provisioner, fault),
    ),
    ...("" in parameters ? [invalidValue("parameters", "", "field can not be empty.")] : []),
    ...(policies.includes(reclaimPolicy) ? [] : [notSupported("reclaimPolicy", reclaimPolicy, policies)]),
    ...(modes.includes(volumeBindingMode) ? [] : [notSupported("volumeBindingMode", volumeBindingMode, modes)]),
    ...allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
      matchLabelExpressions.flatMap(({ values }, at) =>
        (values ?? []).length > 0 ? [] : [required(`allowedTopologies[${index}].matchLabelExpressions[${at}].values`)],
      ),
    ),
  ];
}

function withFinalizer({ metadata }: Draft, finalizer: string): string[] {
  const finalizers = metadata.finalizers ?? [];
  return finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
}
