import { isFields } from "../values/fields.ts";

/** Field names that have the same type everywhere in a pod, a claim's template and a PodGroup. */
const typedFields: Readonly<Record<FieldType, ReadonlySet<string>>> = {
  text: namesOf(`
    action amount apiGroup apiVersion audience claimName conditionType containerName cpu devicePath divisor dnsPolicy
    driver effect fieldPath format fsGroupChangePolicy fsType generateName group host hostIP hostname image
    imagePullPolicy ip key kind level localhostProfile medium memory message mountPath mountPropagation name namespace
    nodeAffinityPolicy nodeName nodeTaintsPolicy operator path pool preemptionPolicy prefix priorityClassName procMount
    protocol pullPolicy queue reason reference repository request resource resourceClaimName
    resourceClaimTemplateName resourceName restartPolicy revision role runAsUserName runtimeClassName schedulerName
    scheme secretName server serviceAccount serviceAccountName sizeLimit storage storageClassName subPath subPathExpr
    subdomain supplementalGroupsPolicy terminationMessagePath terminationMessagePolicy topologyKey type value
    volumeName whenUnsatisfiable workingDir`),
  textMap: namesOf(
    "annotations labels limits matchLabels minResources nodeSelector overhead requests volumeAttributes",
  ),
  textList: namesOf(`
    accessModes add args command drop finalizers hostnames matchLabelKeys mismatchLabelKeys nameservers namespaces
    searches`),
  boolean: namesOf(`
    allowPrivilegeEscalation automountServiceAccountToken blockOwnerDeletion controller enableServiceLinks hostIPC
    hostNetwork hostPID hostProcess hostUsers optional privileged readOnly readOnlyRootFilesystem runAsNonRoot
    setHostnameAsFQDN shareProcessNamespace stdin stdinOnce tty`),
  integer: namesOf(`
    containerPort defaultMode failureThreshold hostPort initialDelaySeconds maxSkew minDomains minMember mode partition
    periodSeconds priority successThreshold timeoutSeconds weight`),
  long: namesOf(`
    activeDeadlineSeconds deletionGracePeriodSeconds expirationSeconds fsGroup runAsGroup runAsUser seconds
    terminationGracePeriodSeconds tolerationSeconds`),
};

/** Fields that contain objects with known fields, or lists of them. The content of other fields is not changed. */
const structures = namesOf(`
  affinity appArmorProfile awsElasticBlockStore azureDisk azureFile capabilities cephfs cinder claims
  clusterTrustBundle configMap configMapKeyRef configMapRef containers csi dataSource dataSourceRef dnsConfig downwardAPI
  emptyDir env envFrom ephemeral ephemeralContainers exec fc fieldRef flexVolume flocker gcePersistentDisk gitRepo
  glusterfs grpc hostAliases hostPath httpGet httpHeaders image imagePullSecrets initContainers iscsi items labelSelector
  lifecycle livenessProbe matchExpressions matchFields metadata namespaceSelector nfs nodeAffinity nodePublishSecretRef
  nodeSelectorTerms options os ownerReferences persistentVolumeClaim photonPersistentDisk podAffinity podAffinityTerm
  podAntiAffinity podCertificate portworxVolume ports postStart preStop preference
  preferredDuringSchedulingIgnoredDuringExecution projected quobyte rbd readinessGates readinessProbe
  requiredDuringSchedulingIgnoredDuringExecution resizePolicy resourceClaims resourceFieldRef resources scaleIO
  schedulingGates seLinuxOptions seccompProfile secret secretKeyRef secretRef securityContext selector
  serviceAccountToken sleep sources spec startupProbe storageos sysctls tcpSocket tolerations topologySpreadConstraints
  valueFrom volumeClaimTemplate volumeDevices volumeMounts volumes vsphereVolume windowsOptions`);

/** Fields among these and the typed ones that are always lists. `image` and `required…` differ between objects. */
const lists = namesOf(`
  accessModes add args claims command containers drop env envFrom ephemeralContainers finalizers hostAliases hostnames
  httpHeaders imagePullSecrets initContainers items matchExpressions matchFields matchLabelKeys mismatchLabelKeys
  nameservers namespaces nodeSelectorTerms options ownerReferences ports
  preferredDuringSchedulingIgnoredDuringExecution readinessGates resizePolicy resourceClaims schedulingGates searches
  sources sysctls tolerations topologySpreadConstraints volumeDevices volumeMounts volumes`);
const ambiguousShapes = namesOf("image requiredDuringSchedulingIgnoredDuringExecution");

/** Maps whose values are quantities. */
const amounts = namesOf("limits minResources overhead requests");

type FieldType = "text" | "textMap" | "textList" | "boolean" | "integer" | "long";

const typeOfField: ReadonlyMap<string, string> = new Map(
  Object.entries(typedFields).flatMap(([type, names]) => [...names].map((name) => [name, type])),
);

/** Template whose scalars have the types of their fields, and the values that could not be converted. */
interface TypedTemplate {
  readonly value: unknown;
  /** Messages such as `terminationGracePeriodSeconds is not an integer`; without values, which may be secret. */
  readonly problems: readonly string[];
}

/**
 * Converts the scalars of a pod or PodGroup template to the types that Kubernetes requires: `value: 1` becomes the text `1`,
 * `hostNetwork: "true"` becomes true, `defaultMode: 0644` becomes 420, `env: [null]` becomes `env: [{}]`. Unknown fields are kept.
 *
 * Source: the Java client library reads templates into typed objects (Jackson's coercions, Go's octal numbers).
 */
export function withKubernetesScalars(
  template: unknown,
  { octalNumbers = true }: { readonly octalNumbers?: boolean } = {},
): TypedTemplate {
  const problems: string[] = [];
  return { value: typedTree(template, { problems, octalNumbers }), problems };
}

/** Collected problems, and the syntax of numbers. */
interface Typing {
  readonly problems: string[];
  readonly octalNumbers: boolean;
}

function typedTree(value: unknown, typing: Typing): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => typedTree(item, typing));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, typedField(field, item, typing)]));
}

function typedField(field: string, value: unknown, typing: Typing): unknown {
  const problem = shapeProblem(field, value);
  if (problem !== undefined) return valueOrProblem(undefined, problem, typing);
  const type = typeOfField.get(field);
  if (type === "textList" && Array.isArray(value)) return value.map(toText);
  // The API server reads null as an object without fields.
  if (lists.has(field) && Array.isArray(value)) return value.map((item: unknown) => typedTree(item ?? {}, typing));
  if (type === "textMap" && isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toText(item)]));
  }
  if (isFields(value) || Array.isArray(value)) {
    return structures.has(field) ? typedTree(value, typing) : value;
  }
  if (type === "boolean") return valueOrProblem(toBoolean(value), `${field} is neither true nor false`, typing);
  if (type === "integer" || type === "long") {
    const isOctal = type === "integer" && typing.octalNumbers;
    return valueOrProblem(isOctal ? toInteger(value) : toLong(value), `${field} is not an integer`, typing);
  }
  return type === "text" ? toText(value) : value;
}

/** Reports a list instead of an object and similar problems. `null` and unknown fields are always valid. */
function shapeProblem(field: string, value: unknown): string | undefined {
  const type = typeOfField.get(field);
  const isKnown = type !== undefined || structures.has(field);
  if (value === null || !isKnown || ambiguousShapes.has(field)) return undefined;
  if (lists.has(field)) {
    if (!Array.isArray(value)) return `${field} is not a list`;
    const fits = type === "textList" ? isPlain : isFieldsOrNull;
    return value.every(fits)
      ? undefined
      : `${field} contains items that are not ${type === "textList" ? "strings" : "objects"}`;
  }
  if (type === "textMap") {
    if (!isFields(value) || !Object.values(value).every(isPlain)) return `${field} is not a map of strings`;
    const isEmpty = amounts.has(field) && Object.values(value).includes("");
    return isEmpty ? `${field} has an empty quantity` : undefined;
  }
  if (type !== undefined) return isPlain(value) ? undefined : `${field} is a list or an object`;
  return isFields(value) ? undefined : `${field} is not an object`;
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function isFieldsOrNull(value: unknown): boolean {
  return value === null || isFields(value);
}

function valueOrProblem(value: unknown, problem: string, { problems }: Typing): unknown {
  if (value === undefined) problems.push(problem);
  return value;
}

function toText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function toBoolean(value: unknown): unknown {
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return text === "" ? null : undefined;
}

/** Converts an int32, for which Go's octal numbers are allowed. */
function toInteger(value: unknown): unknown {
  const octal = typeof value === "string" ? /^0[oO]?([0-7]+)$/.exec(value) : null;
  return octal === null ? toLong(value) : Number.parseInt(octal[1] ?? "", 8);
}

function toLong(value: unknown): unknown {
  if (typeof value === "boolean") return undefined;
  if (typeof value === "number") return Math.trunc(value);
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (text === "") return null;
  return /^[+-]?[0-9]+(?:\.[0-9]+)?$/.test(text) ? Math.trunc(Number(text)) : undefined;
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
