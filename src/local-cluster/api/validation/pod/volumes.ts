import type {
  DownwardAPIVolumeFile,
  HostPathVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
} from "kubernetes-types/core/v1.d.ts";
import type { Container, Volume, VolumeMount } from "../../../../kube/types.ts";
import { parseQuantity } from "../../../../values/quantity.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  missingReference,
  notSupported,
  required,
} from "../field-error.ts";
import { dnsLabel } from "../names.ts";
import { validateFieldReference, validateResourceReference } from "./environment.ts";

/** Kinds of volumes in the order of validation. */
const sourceOrder = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "azureFile",
  "configMap",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
] as const;

interface VolumeCheck {
  readonly errors: readonly FieldError[];
  /** Volumes with which nothing is wrong, by name. */
  readonly named: ReadonlyMap<string, Volume>;
}

/** Returns the errors of a pod's volumes. */
export function validateVolumes(volumes: readonly Volume[], path: string): VolumeCheck {
  const named = new Map<string, Volume>();
  const errors = volumes.flatMap((volume, index) => {
    const field = `${path}[${index}]`;
    const { name } = volume;
    const faults = [
      ...sourceErrors(volume, field),
      ...(name === ""
        ? [required(`${field}.name`)]
        : dnsLabel(name).map((fault) => invalidValue(`${field}.name`, name, fault))),
      ...(named.has(name) ? [duplicate(`${field}.name`, name)] : []),
    ];
    if (faults.length === 0) named.set(name, volume);
    return faults;
  });
  return { errors, named };
}

function sourceErrors(volume: Volume, field: string): FieldError[] {
  const [first, ...others] = sourceOrder.filter((kind) => volume[kind] !== undefined);
  if (first === undefined) return [required(field, "must specify a volume type")];
  return [
    ...kindErrors(volume, field),
    ...others.map((kind) => forbiddenField(`${field}.${kind}`, "may not specify more than 1 volume type")),
  ];
}

function kindErrors(volume: Volume, field: string): FieldError[] {
  const { emptyDir, hostPath, secret, configMap, persistentVolumeClaim: claim, downwardAPI, projected, nfs } = volume;
  const size = emptyDir?.sizeLimit;
  return [
    ...(size !== undefined && (parseQuantity(size)?.nano ?? 0n) < 0n
      ? [forbiddenField(`${field}.emptyDir.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : []),
    ...(hostPath ? hostPathErrors(hostPath, `${field}.hostPath`) : []),
    ...(secret
      ? [
          ...((secret.secretName ?? "") === "" ? [required(`${field}.secret.secretName`)] : []),
          ...modeErrors(secret.defaultMode, `${field}.secret.defaultMode`),
          ...itemErrors(secret.items, `${field}.secret.items`),
        ]
      : []),
    ...(configMap
      ? [
          ...((configMap.name ?? "") === "" ? [required(`${field}.configMap.name`)] : []),
          ...modeErrors(configMap.defaultMode, `${field}.configMap.defaultMode`),
          ...itemErrors(configMap.items, `${field}.configMap.items`),
        ]
      : []),
    ...(claim && claim.claimName === "" ? [required(`${field}.persistentVolumeClaim.claimName`)] : []),
    ...(downwardAPI
      ? [
          ...modeErrors(downwardAPI.defaultMode, `${field}.downwardAPI.defaultMode`),
          ...fileErrors(downwardAPI.items, `${field}.downwardAPI`),
        ]
      : []),
    ...(projected
      ? [...projectedErrors(projected, `${field}.projected`), ...sharedPathErrors(projected, `${field}.projected`)]
      : []),
    ...(volume.csi?.driver === "" ? [required(`${field}.csi.driver`)] : []),
    ...(volume.ephemeral !== undefined && volume.ephemeral.volumeClaimTemplate === undefined
      ? [required(`${field}.ephemeral.volumeClaimTemplate`)]
      : []),
    ...(nfs
      ? [
          ...(nfs.server === "" ? [required(`${field}.nfs.server`)] : []),
          ...(nfs.path === "" ? [required(`${field}.nfs.path`)] : []),
          ...(nfs.path.startsWith("/")
            ? []
            : [invalidValue(`${field}.nfs.path`, nfs.path, "must be an absolute path")]),
        ]
      : []),
  ];
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

function hostPathErrors({ path, type = "" }: HostPathVolumeSource, field: string): FieldError[] {
  if (path === "") return [required(`${field}.path`)];
  return [
    ...(path.split("/").includes("..") ? [invalidValue(`${field}.path`, path, "must not contain '..'")] : []),
    ...(hostPathTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, hostPathTypes)]),
  ];
}

function modeErrors(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidValue(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

function itemErrors(items: readonly KeyToPath[] = [], path: string): FieldError[] {
  return items.flatMap(({ key, path: file, mode }, index) => {
    const field = `${path}[${index}]`;
    return [
      ...(key === "" ? [required(`${field}.key`)] : []),
      ...pathErrors(file, `${field}.path`),
      ...modeErrors(mode, `${field}.mode`),
    ];
  });
}

function pathErrors(file: string, field: string): FieldError[] {
  return file === "" ? [required(field)] : relativePathErrors(file, field);
}

function relativePathErrors(file: string, field: string): FieldError[] {
  return [
    ...(file.startsWith("/") ? [invalidValue(field, file, "must be a relative path")] : []),
    ...(file.split("/").includes("..") ? [invalidValue(field, file, "must not contain '..'")] : []),
  ];
}

function fileErrors(items: readonly DownwardAPIVolumeFile[] = [], field: string): FieldError[] {
  return items.flatMap(({ path, fieldRef, resourceFieldRef, mode }) => [
    ...pathErrors(path, `${field}.path`),
    ...(fieldRef ? validateFieldReference(fieldRef, `${field}.fieldRef`) : []),
    ...(resourceFieldRef && !fieldRef ? validateResourceReference(resourceFieldRef, `${field}.resourceFieldRef`) : []),
    ...(fieldRef === undefined && resourceFieldRef === undefined
      ? [required(field, "one of fieldRef and resourceFieldRef is required")]
      : []),
    ...modeErrors(mode, `${field}.mode`),
  ]);
}

function projectedErrors({ sources, defaultMode }: ProjectedVolumeSource, path: string): FieldError[] {
  return [
    ...modeErrors(defaultMode, `${path}.defaultMode`),
    ...(sources ?? []).flatMap((source, index) => {
      const field = `${path}.sources[${index}]`;
      const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
      const count = Object.values(source).filter((part) => part !== undefined && part !== null).length;
      return [
        ...(secret
          ? [
              ...((secret.name ?? "") === "" ? [required(`${field}.secret.name`)] : []),
              ...itemErrors(secret.items, `${field}.secret.items`),
            ]
          : []),
        ...(configMap
          ? [
              ...((configMap.name ?? "") === "" ? [required(`${field}.configMap.name`)] : []),
              ...itemErrors(configMap.items, `${field}.configMap.items`),
            ]
          : []),
        ...(downwardAPI ? fileErrors(downwardAPI.items, `${field}.downwardAPI`) : []),
        ...(token
          ? [
              ...((token.expirationSeconds ?? 3600) < 600
                ? [
                    invalidValue(
                      `${field}.serviceAccountToken.expirationSeconds`,
                      token.expirationSeconds,
                      "may not specify a duration less than 10 minutes",
                    ),
                  ]
                : []),
              // Kubernetes names the volume for a missing path, and the source for an invalid one.
              ...(token.path === ""
                ? [required(`${path}.path`)]
                : relativePathErrors(token.path, `${field}.serviceAccountToken.path`)),
            ]
          : []),
        ...(count > 1 ? [forbiddenField(field, "may not specify more than 1 volume type per source")] : []),
      ];
    }),
  ];
}

/** Returns the errors of projected files with the same path. */
function sharedPathErrors({ sources }: ProjectedVolumeSource, field: string): FieldError[] {
  const files = (sources ?? []).flatMap(({ secret, configMap, downwardAPI, serviceAccountToken }) => [
    ...(secret?.items ?? []).map(({ path }) => ({ path, shown: secret?.name ?? "" })),
    ...(configMap?.items ?? []).map(({ path }) => ({ path, shown: configMap?.name ?? "" })),
    ...(downwardAPI?.items ?? []).map(({ path }) => ({ path, shown: path })),
    ...(serviceAccountToken === undefined ? [] : [{ path: serviceAccountToken.path, shown: serviceAccountToken.path }]),
  ]);
  return files
    .filter(({ path }, index) => path !== "" && files.findIndex((file) => file.path === path) < index)
    .map(({ shown }) => invalidValue(field, shown, "conflicting duplicate paths"));
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

/** Returns the errors of a mount's mode. Kubernetes' messages omit the mount's index. */
function mountModeErrors(mount: VolumeMount, path: string, isPrivileged: boolean): FieldError[] {
  const { mountPropagation: propagation, recursiveReadOnly = "Disabled", readOnly } = mount;
  const field = `${path}.mountPropagation`;
  return [
    ...(propagation === undefined || propagations.includes(propagation)
      ? []
      : [notSupported(field, propagation, propagations)]),
    ...(propagation === "Bidirectional" && !isPrivileged
      ? [forbiddenField(field, "Bidirectional mount propagation is available only to privileged containers")]
      : []),
    ...(recursiveReadOnly !== "Disabled" && readOnly !== true
      ? [forbiddenField(`${path}.recursiveReadOnly`, "may only be specified when readOnly is true")]
      : []),
  ];
}

/** Returns the errors of a container's mounts and devices. */
export function validateMounts(
  { volumeMounts = [], volumeDevices = [], securityContext }: Container,
  containerField: string,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
  const path = `${containerField}.volumeMounts`;
  const isPrivileged = securityContext?.privileged === true;
  const text = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
  return [
    ...pathMountErrors(volumeMounts, path, volumes),
    ...volumeMounts.flatMap((mount) => mountModeErrors(mount, path, isPrivileged)),
    ...volumeDevices.flatMap(({ name }, index) => {
      const volume = volumes.get(name);
      const field = `${containerField}.volumeDevices[${index}].name`;
      if (volume === undefined) return [missingReference(field, name)];
      const isBlock = volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined;
      return isBlock ? [] : [invalidValue(field, name, text)];
    }),
  ];
}

function pathMountErrors(
  mounts: readonly VolumeMount[],
  path: string,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
  const paths = new Set<string>();
  return mounts.flatMap(({ name, mountPath, subPath = "", subPathExpr = "" }, index) => {
    const field = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${field}.name`));
    if (!volumes.has(name)) errors.push(missingReference(`${field}.name`, name));
    if (mountPath === "") errors.push(required(`${field}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalidValue(`${field}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    // Kubernetes' messages about these two omit the mount's index.
    if (subPath !== "") errors.push(...relativePathErrors(subPath, `${path}.subPath`));
    if (subPathExpr !== "") {
      if (subPath !== "") {
        errors.push(
          invalidValue(`${field}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"),
        );
      }
      errors.push(...relativePathErrors(subPathExpr, `${path}.subPathExpr`));
    }
    return errors;
  });
}

/** Returns the warnings about a pod's volumes. */
export function warnOfVolumes(volumes: readonly Volume[]): string[] {
  return volumes.flatMap(({ name, projected }) => {
    const isEmpty = (projected?.sources ?? []).some((source) =>
      Object.values(source).every((part) => part === undefined || part === null),
    );
    return isEmpty ? [`volume ${JSON.stringify(name)} (Projected) has no sources provided`] : [];
  });
}
