import type { CauseName } from "../diagnosis/causes.ts";
import { keys, keyWithin } from "../diagnosis/settings.ts";
import { type ResourceType, resourceTypes } from "../kube/resources.ts";
import { isFields } from "../values/fields.ts";
import { templateKey, volumePrefix } from "./role-keys.ts";
import type { PlannedPod, PlannedSubmission, Role } from "./submission.ts";

/** Object that must exist before the pods start. */
export interface Reference {
  readonly type: ResourceType;
  readonly name: string;
  readonly role: Role;
  /** Keys of a ConfigMap or Secret that the pod reads. */
  readonly dataKeys: readonly string[];
  /** Cause if it is missing. */
  readonly cause: CauseName;
  readonly isRequired: boolean;
  /** Setting that names it. */
  readonly key?: string | undefined;
}

const serviceAccount: ResourceType = {
  ...{ group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", namespaced: true },
};
const priorityClass: ResourceType = {
  ...{ group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass", plural: "priorityclasses", namespaced: false },
};
const runtimeClass: ResourceType = {
  ...{ group: "node.k8s.io", version: "v1", kind: "RuntimeClass", plural: "runtimeclasses", namespaced: false },
};
const resourceClaim: ResourceType = {
  ...{ group: "resource.k8s.io", version: "v1", kind: "ResourceClaim", plural: "resourceclaims", namespaced: true },
};

/** Lists the objects that the pods name and that the submission does not create, each once for each role. */
export function referencesOf({ pods, objects, conf, executorConfMap }: PlannedSubmission): readonly Reference[] {
  const created = new Set(objects.map(({ object }) => `${object.kind} ${object.metadata.name}`));
  created.add(`ConfigMap ${executorConfMap}`);
  const found = pods.flatMap((pod) => [...podReferences(pod), ...volumeReferences(pod), ...environmentReferences(pod)]);
  const storage = objects.flatMap(({ part, object }) =>
    storageReferences(part === "executorResource" ? "executor" : "driver", object["spec"]),
  );
  const properties = Object.fromEntries(conf.settings().map(({ key, value }) => [key, value]));
  const merged = new Map<string, Reference>();
  for (const reference of [...found, ...storage]) {
    const { type, name, role } = reference;
    if (name === "" || created.has(`${type.kind} ${name}`)) continue;
    const id = `${type.kind} ${name} ${role}`;
    const earlier = merged.get(id);
    const dataKeys = [...new Set([...(earlier?.dataKeys ?? []), ...reference.dataKeys])];
    const isRequired = reference.isRequired || earlier?.isRequired === true;
    merged.set(id, { ...(earlier ?? reference), dataKeys, isRequired });
  }
  return [...merged.values()].map((reference) => ({ ...reference, key: settingOf(reference, properties) }));
}

/** Returns the setting that names an object; if no setting does, that of the pod template. */
function settingOf(
  { type, name, role, key }: Reference,
  properties: Readonly<Record<string, string>>,
): string | undefined {
  switch (type.kind) {
    case "StorageClass":
    case "PersistentVolumeClaim": {
      const isNamed = (value: string, rest: string) => value === name && rest.includes(".options.");
      return keyWithin(properties, volumePrefix(role), isNamed) ?? templateKey(role);
    }
    case "Secret":
      return key ?? secretSetting(role, name, properties) ?? templateKey(role);
    default:
      return key;
  }
}

function secretSetting(role: Role, name: string, properties: Readonly<Record<string, string>>): string | undefined {
  const [mounted, byKey] =
    role === "driver" ? [keys.driverSecret, keys.driverSecretKeyRef] : [keys.executorSecret, keys.executorSecretKeyRef];
  const isMounted = (_: string, rest: string) => rest === name;
  return (
    keyWithin(properties, mounted, isMounted) ?? keyWithin(properties, byKey, (value) => value.startsWith(`${name}:`))
  );
}

type Simple = Omit<Reference, "role" | "dataKeys" | "isRequired">;

function required(role: Role, simple: Simple): Reference {
  return { ...simple, role, dataKeys: [], isRequired: true };
}

function podReferences({ role, spec }: PlannedPod): readonly Reference[] {
  const { priorityClassName = "", runtimeClassName = "", nodeName = "" } = spec;
  const isDriver = role === "driver";
  const template = templateKey(role);
  const account: Simple = {
    ...{ type: serviceAccount, name: spec.serviceAccountName ?? "default" },
    cause: isDriver ? "service-account-missing" : "executor-account-missing",
    key: isDriver ? keys.driverAccount : keys.executorAccount,
  };
  const pullSecrets = (spec.imagePullSecrets ?? []).map(
    ({ name = "" }): Reference => ({
      ...{ type: resourceTypes.secret, name, role, dataKeys: [], cause: "image-pull-secret-missing" },
      // The kubelet then pulls without credentials.
      isRequired: false,
      key: keys.pullSecrets,
    }),
  );
  const claims = claimNames(spec).map((name) =>
    required(role, { type: resourceClaim, name, cause: "resource-claim-missing", key: template }),
  );
  return [
    required(role, account),
    required(role, {
      type: priorityClass,
      name: priorityClassName,
      cause: "priority-class-missing",
      key: template,
    }),
    required(role, { type: runtimeClass, name: runtimeClassName, cause: "runtime-class-missing", key: template }),
    required(role, { type: resourceTypes.node, name: nodeName, cause: "node-missing", key: template }),
    ...claims,
    ...pullSecrets,
  ];
}

/** Names of the claims of devices. The types of the API that Firesteel uses predate them. */
function claimNames(spec: object): readonly string[] {
  const claims =
    "resourceClaims" in spec && Array.isArray(spec.resourceClaims) ? spec.resourceClaims.filter(isFields) : [];
  return claims.flatMap(({ resourceClaimName: name }) => (typeof name === "string" ? [name] : []));
}

/** Reference of a pod to a ConfigMap or Secret, in any of the forms of the API. */
interface DataSource {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly key?: string | undefined;
  readonly items?: readonly { readonly key: string }[] | undefined;
}

function dataReference(role: Role, type: "secret" | "configMap", source: DataSource | undefined): readonly Reference[] {
  if (source === undefined) return [];
  const { name = "", optional = false, key, items = [] } = source;
  const secretCause = role === "driver" ? "secret-missing" : "executor-secret-missing";
  return [
    {
      ...{ type: resourceTypes[type], name, role, isRequired: !optional },
      dataKeys: optional ? [] : [...(key === undefined ? [] : [key]), ...items.map((item) => item.key)],
      cause: type === "secret" ? secretCause : "config-map-missing",
      key: type === "secret" ? undefined : templateKey(role),
    },
  ];
}

function volumeReferences({ role, spec }: PlannedPod): readonly Reference[] {
  return (spec.volumes ?? []).flatMap(({ configMap, secret, projected, persistentVolumeClaim }) => [
    ...dataReference(role, "configMap", configMap),
    ...dataReference(role, "secret", secret && { ...secret, name: secret.secretName }),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...dataReference(role, "configMap", source.configMap),
      ...dataReference(role, "secret", source.secret),
    ]),
    ...(persistentVolumeClaim === undefined
      ? []
      : [
          required(role, {
            ...{ type: resourceTypes.persistentVolumeClaim, name: persistentVolumeClaim.claimName },
            cause: "pvc-missing",
          }),
        ]),
  ]);
}

function environmentReferences({ role, spec }: PlannedPod): readonly Reference[] {
  return [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ env = [], envFrom = [] }) => [
    ...env.flatMap(({ valueFrom }) => [
      ...dataReference(role, "configMap", valueFrom?.configMapKeyRef),
      ...dataReference(role, "secret", valueFrom?.secretKeyRef),
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...dataReference(role, "configMap", configMapRef),
      ...dataReference(role, "secret", secretRef),
    ]),
  ]);
}

function storageReferences(role: Role, spec: unknown): readonly Reference[] {
  const name = isFields(spec) ? spec["storageClassName"] : undefined;
  if (typeof name !== "string") return [];
  return [required(role, { type: resourceTypes.storageClass, name, cause: "storage-class-missing" })];
}
