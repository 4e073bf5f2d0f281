import { useReadWriteOnceAccessMode } from "../conf/entries/volumes.ts";
import type { PersistentVolumeClaimSpec, VolumeSpec } from "../conf/volume-spec.ts";
import type { KubeResource, PersistentVolumeClaim, Volume, VolumeMount } from "../kube/types.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { appSelectorLabel } from "../plan/labels.ts";
import type { Contribution } from "./step.ts";

/** Builds the volumes of a role, their mounts, and the claims that are created for them. */
export function contributeVolumes(pod: PodConf): Contribution {
  const specs = pod.volumes;
  return {
    volumes: specs.map((spec, index) => toVolume(spec, claimName(pod, spec, index))),
    mounts: specs.map(toMount),
    resources: specs.flatMap((spec, index) => createdClaim(pod, spec, claimName(pod, spec, index))),
  };
}

function toMount({ name, mountPath, readOnly, subPath, subPathExpr }: VolumeSpec): VolumeMount {
  return {
    name,
    mountPath,
    readOnly,
    ...(subPath === "" ? {} : { subPath }),
    ...(subPathExpr === "" ? {} : { subPathExpr }),
  };
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

/** Replaces `OnDemand` in a claim's name by a generated name; `index` is the position of the volume. */
function claimName(pod: PodConf, spec: VolumeSpec, index: number): string {
  if (spec.type !== "persistentVolumeClaim") return "";
  const { resourceNamePrefix, role, executorId } = pod;
  const owner = role === "driver" ? role : `exec-${executorId}`;
  const name = spec.claimName.replaceAll("OnDemand", `${resourceNamePrefix}-${owner}-pvc-${index}`);
  return executorId === undefined ? name : name.replaceAll("SPARK_EXECUTOR_ID", executorId);
}

/** Builds a claim if its storage class and its size are set, whatever its name. */
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
