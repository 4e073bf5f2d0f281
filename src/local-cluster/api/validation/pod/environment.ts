import type {
  EnvFromSource,
  EnvVarSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "kubernetes-types/core/v1.d.ts";
import type { EnvVar } from "../../../../kube/types.ts";
import { type FieldError, invalidValue, notSupported, required } from "../field-error.ts";
import { configKey, qualifiedName, subdomain } from "../names.ts";

/** Fields of a pod that references can name. */
const knownFields: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** Fields that environment variables can reference. */
const variableFields: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** Fields that volume files can reference. */
const fileFields: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const resourceFields: readonly string[] = ["limits", "requests"].flatMap((list) =>
  ["cpu", "ephemeral-storage", "memory"].map((name) => `${list}.${name}`),
);

/** Returns the errors of a container's variables. */
export function validateVariables(variables: readonly EnvVar[], path: string): FieldError[] {
  return variables.flatMap(({ name, value = "", valueFrom }, index) => {
    const field = `${path}[${index}]`;
    return [
      ...(name === "" ? [required(`${field}.name`)] : nameErrors(name, `${field}.name`)),
      ...(valueFrom === undefined
        ? []
        : sourceErrors(valueFrom, { field: `${field}.valueFrom`, hasValue: value !== "" })),
    ];
  });
}

function nameErrors(name: string, field: string): FieldError[] {
  const text = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]+$/.test(name) ? [] : [invalidValue(field, name, text)];
}

function sourceErrors(source: EnvVarSource, { field, hasValue }: { field: string; hasValue: boolean }): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  const count = Object.values(source).filter((part) => part !== undefined && part !== null).length;
  return [
    ...(fieldRef ? fieldErrors(fieldRef, `${field}.fieldRef`, variableFields) : []),
    ...(resourceFieldRef ? resourceErrors(resourceFieldRef, `${field}.resourceFieldRef`, { isVolume: false }) : []),
    ...(configMapKeyRef ? keyErrors(configMapKeyRef, `${field}.configMapKeyRef`) : []),
    ...(secretKeyRef ? keyErrors(secretKeyRef, `${field}.secretKeyRef`) : []),
    ...(count === 0
      ? [
          invalidValue(
            field,
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
          ),
        ]
      : hasValue
        ? [invalidValue(field, "", "may not be specified when `value` is not empty")]
        : count > 1
          ? [invalidValue(field, "", "may not have more than one field specified at a time")]
          : []),
  ];
}

/** Returns the errors of a volume's reference to a field of the pod; labels and annotations can be referenced as a whole. */
export function validateFieldReference(reference: ObjectFieldSelector, field: string): FieldError[] {
  return fieldErrors(reference, field, fileFields);
}

function fieldErrors(
  { apiVersion = "", fieldPath }: ObjectFieldSelector,
  field: string,
  allowed: readonly string[],
): FieldError[] {
  if (apiVersion === "") return [required(`${field}.apiVersion`)];
  if (fieldPath === "") return [required(`${field}.fieldPath`)];
  const path = `${field}.fieldPath`;
  if (apiVersion !== "v1")
    return [invalidValue(path, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
  const [, map, key] = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) {
    return qualifiedName(key.toLowerCase()).map((fault) => invalidValue(field, key, fault));
  }
  if (!knownFields.includes(fieldPath)) {
    return [invalidValue(path, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
  }
  return allowed.includes(fieldPath) ? [] : [notSupported(path, fieldPath, allowed)];
}

/** Returns the errors of a reference to a container's resource. */
export function validateResourceReference(reference: ResourceFieldSelector, field: string): FieldError[] {
  return resourceErrors(reference, field, { isVolume: true });
}

function resourceErrors(
  { containerName = "", resource, divisor }: ResourceFieldSelector,
  field: string,
  { isVolume }: { isVolume: boolean },
): FieldError[] {
  if (isVolume && containerName === "") return [required(`${field}.containerName`)];
  if (resource === "") return [required(`${field}.resource`)];
  if (resourceFields.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)) {
    return divisorErrors(resource, divisor, `${field}.divisor`);
  }
  return [notSupported(`${field}.resource`, resource, resourceFields)];
}

const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

function divisorErrors(resource: string, divisor: string | undefined, field: string): FieldError[] {
  if (divisor === undefined || divisor === "0") return [];
  const [, name = ""] = resource.split(".");
  const known = name === "cpu" ? ["1m", "1"] : byteDivisors;
  if (known.includes(divisor)) return [];
  const values = name === "cpu" ? "1m and 1" : known.join(", ");
  return [invalidValue(field, resource, `only divisor's values ${values} are supported with the ${name} resource`)];
}

function keyErrors({ name = "", key }: { name?: string; key: string }, field: string): FieldError[] {
  return [
    ...subdomain(name).map((fault) => invalidValue(`${field}.name`, name, fault)),
    ...(key === ""
      ? [required(`${field}.key`)]
      : configKey(key).map((fault) => invalidValue(`${field}.key`, key, fault))),
  ];
}

/** Returns the errors of ConfigMaps and Secrets that become variables. */
export function validateVariableSources(sources: readonly EnvFromSource[], path: string): FieldError[] {
  return sources.flatMap(({ prefix = "", configMapRef, secretRef }, index) => {
    const field = `${path}[${index}]`;
    return [
      ...(prefix === "" ? [] : nameErrors(prefix, `${field}.prefix`)),
      ...(configMapRef ? referenceErrors(configMapRef.name, `${field}.configMapRef.name`) : []),
      ...(secretRef ? referenceErrors(secretRef.name, `${field}.secretRef.name`) : []),
      ...(configMapRef === undefined && secretRef === undefined
        ? [invalidValue(path, "", "must specify one of: `configMapRef` or `secretRef`")]
        : configMapRef !== undefined && secretRef !== undefined
          ? [invalidValue(path, "", "may not have more than one field specified at a time")]
          : []),
    ];
  });
}

function referenceErrors(name: string | undefined, field: string): FieldError[] {
  if (name === undefined || name === "") return [required(field)];
  return subdomain(name).map((fault) => invalidValue(field, name, fault));
}
