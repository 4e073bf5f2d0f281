import { useReadWriteOnceAccessMode, volumes } from "../conf/entries/volumes.ts";
import { parseVolumeSpecs } from "../conf/parse-volume-specs.ts";
import { checkMountPaths, type PersistentVolumeClaimSpec, type VolumeSpec } from "../conf/volume-spec.ts";
import type { Issue } from "../errors/issue.ts";
import type { KubeResource, PersistentVolumeClaim, Volume, VolumeMount } from "../kube/types.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { appSelectorLabel } from "../plan/labels.ts";
import type { Contribution } from "./step.ts";

/** The volumes that the settings of a role name, their mounts, and the claims that are made for them. */
export function contributeVolumes(pod: PodConf): Contribution {
  const specs = volumeSpecs(pod);
  return {
    volumes: specs.map((spec, index) => toVolume(spec, claimName(pod, spec, index))),
    mounts: mountsOfVolumes(pod),
    resources: specs.flatMap((spec, index) => createdClaim(pod, spec, claimName(pod, spec, index))),
  };
}

/** Mounts of these volumes in the container. */
export function mountsOfVolumes(pod: PodConf): readonly VolumeMount[] {
  return volumeSpecs(pod).map(({ name, mountPath, readOnly, subPath, subPathExpr }) => ({
    name,
    mountPath,
    readOnly,
    ...(subPath === "" ? {} : { subPath }),
    ...(subPathExpr === "" ? {} : { subPathExpr }),
  }));
}

/** Reports why the role's volumes cannot be mounted. */
export function volumeIssues({ conf, role }: PodConf): readonly Issue[] {
  const own = parseVolumeSpecs(conf, volumes[role]);
  return own.ok ? checkMountPaths(own.value) : own.issues;
}

function volumeSpecs({ conf, role }: PodConf): readonly VolumeSpec[] {
  const specs = parseVolumeSpecs(conf, volumes[role]);
  return specs.ok ? specs.value : [];
}

function toVolume(spec: VolumeSpec, claim: string): Volume {
  const { name } = spec;
  switch (spec.type) {
    case "hostPath":
      return {
        name,
        hostPath: { path: spec.path, ...(spec.hostPathType === "" ? {} : { type: spec.hostPathType }) },
      };
    case "emptyDir":
      return {
        name,
        emptyDir: {
          ...(spec.medium === "" ? {} : { medium: spec.medium }),
          ...(spec.sizeLimit === undefined ? {} : { sizeLimit: spec.sizeLimit }),
        },
      };
    case "nfs":
      return { name, nfs: { path: spec.path, server: spec.server } };
    case "persistentVolumeClaim":
      return { name, persistentVolumeClaim: { claimName: claim, readOnly: spec.readOnly } };
  }
}

/** `OnDemand` stands for a name that is made here; `index` is the volume's place among all. */
function claimName(pod: PodConf, spec: VolumeSpec, index: number): string {
  if (spec.type !== "persistentVolumeClaim") return "";
  const { resourceNamePrefix, role, executorId } = pod;
  const owner = role === "driver" ? role : `exec-${executorId}`;
  const name = spec.claimName.replaceAll("OnDemand", `${resourceNamePrefix}-${owner}-pvc-${index}`);
  return executorId === undefined ? name : name.replaceAll("SPARK_EXECUTOR_ID", executorId);
}

/** A claim is made where its class and its size are given, whatever its name. */
function createdClaim(pod: PodConf, spec: VolumeSpec, name: string): readonly KubeResource[] {
  if (spec.type !== "persistentVolumeClaim") return [];
  const { storageClass, sizeLimit } = spec;
  if (storageClass === undefined || sizeLimit === undefined) return [];
  return [claim(pod, spec, { name, storageClass, sizeLimit })];
}

interface ClaimParts {
  readonly name: string;
  readonly storageClass: string;
  readonly sizeLimit: string;
}

function claim(
  { conf, traits, appId }: PodConf,
  { labels, annotations }: PersistentVolumeClaimSpec,
  { name, storageClass, sizeLimit }: ClaimParts,
): KubeResource {
  const accessMode = conf.get(useReadWriteOnceAccessMode) ? "ReadWriteOnce" : traits.claimAccessMode;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      labels: { ...Object.fromEntries(labels), [appSelectorLabel]: appId },
      ...(annotations.size === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: sizeLimit } },
      storageClassName: storageClass,
    },
  } satisfies PersistentVolumeClaim;
}
