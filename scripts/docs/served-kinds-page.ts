import { apiVersionOf, type Kind } from "../../src/local-cluster/api/kinds/kind.ts";
import { kinds } from "../../src/local-cluster/api/kinds/table.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/local-cluster-api.md`. */
export function servedKindsPage(): string {
  return `${[
    generatedNote("src/local-cluster/api/kinds/table.ts"),
    "# What the embedded cluster serves",
    [
      "[The embedded cluster](local-cluster.md) serves these kinds of Kubernetes 1.35, in the order of its discovery. Unless a row lists",
      `verbs, a kind has all: ${all.map(code).join(", ")}.`,
    ].join("\n"),
    table(["kind", "version", "names", "subresources", "behavior"], kinds.map(row)),
    "## Kinds that it does not serve",
    "Requests for these kinds get the status 404, as from a cluster without them:",
    table(["group", "kinds"], absent()),
    "## Custom resources",
    customResources,
  ].join("\n\n")}\n`;
}

const customResources = [
  "A `CustomResourceDefinition` adds its kind, as in Kubernetes: with several versions, structural schemas (pruning, defaults, validation),",
  "printer columns, selectable fields, the subresources `status` and `scale`, server-side apply, `kubectl explain`, and roles that are",
  "aggregated by label. These differences remain:",
  "",
  "- Rules in `x-kubernetes-validations` are stored, but not evaluated. A warning names the versions that have some.",
  "- Versions are converted by the webhook of the definition, or by changing `apiVersion`. While the webhook fails, watches of other\n  versions wait.",
].join("\n");

const all = [...new Set(kinds.flatMap(({ verbs }) => verbs))].sort();

function row(kind: Kind): readonly string[] {
  const { verbs, namespaced, plural, shortNames, subresources } = kind;
  const isUsual = all.every((verb) => verbs.some((known) => known === verb));
  const limits = [
    ...(namespaced ? [] : ["of the whole cluster"]),
    ...(isUsual ? [] : [`only ${verbs.map(code).join(", ")}`]),
  ];
  return [
    code(kind.kind),
    code(apiVersionOf(kind)),
    [plural, ...shortNames].map(code).join(", "),
    subresources.map(({ name }) => code(name)).join(", "),
    [noteOf(kind), ...limits].join("; "),
  ];
}

function noteOf({ kind }: Kind): string {
  const note = notes[kind];
  if (note === undefined) throw new RangeError(`scripts/docs/served-kinds-page.ts: what becomes of a ${kind}?`);
  return note;
}

const review = "evaluated, not stored";
const enforced = "enforced";
const empty = "has no objects; for schedulers that list it";
const webhooks = "its webhooks admit requests, without match conditions";

/** Behavior of each kind. */
const notes: Readonly<Record<string, string>> = {
  Binding: "binds a pod to a node",
  ConfigMap: "stored; pods see changes",
  Endpoints: "created for services; your own ones are mirrored to EndpointSlices",
  Event: "equal events are aggregated; stored for an hour",
  LimitRange: enforced,
  Namespace: "gets default objects; its contents are deleted first",
  Node: "one runs pods and respects cordons and taints; others are stored",
  PersistentVolumeClaim: "gets a directory on this machine for any class; not deleted while a pod uses it",
  PersistentVolume: "created for claims; your own ones are stored, but not bound",
  Pod: "runs",
  PodTemplate: "stored",
  ResourceQuota: enforced,
  Secret: "stored; tokens are added to those of service accounts",
  ServiceAccount: "pods get its tokens, which expire",
  Service: "forwards TCP and UDP at its address and its node port, round robin or by session",
  ControllerRevision: "created for stateful sets and daemon sets",
  DaemonSet: "maintained on every node that fits, with rolling updates",
  Deployment: "maintained, with rolling updates",
  ReplicaSet: "maintained",
  StatefulSet: "maintained, with claims",
  SelfSubjectReview: review,
  TokenReview: review,
  LocalSubjectAccessReview: review,
  SelfSubjectAccessReview: review,
  SelfSubjectRulesReview: review,
  SubjectAccessReview: review,
  HorizontalPodAutoscaler: "stored in both versions; nothing measures metrics, so nothing is scaled",
  CertificateSigningRequest: "signs approved requests of the signer `kubernetes.io/kube-apiserver-client`",
  CronJob: "starts jobs at the times of its schedule, in its time zone",
  Job: "runs to completion, with policies for failures and success; deleted after its TTL",
  MutatingWebhookConfiguration: webhooks,
  ValidatingWebhookConfiguration: webhooks,
  Ingress: "stored, not served",
  APIService: "stored; requests are not passed on to other API servers, as its status says",
  IngressClass: "stored, not served",
  RuntimeClass: "gives pods its overhead and scheduling constraints; its handler is ignored",
  NetworkPolicy: "stored, not enforced",
  PodDisruptionBudget: "respected by evictions",
  ClusterRoleBinding: enforced,
  ClusterRole: `${enforced}; aggregated`,
  RoleBinding: enforced,
  Role: enforced,
  CSINode: "stored; volumes of CSI drivers are not mounted",
  StorageClass: "stored; claims are served for any class",
  CustomResourceDefinition: "adds its kind",
  PriorityClass: "gives pods their priority, and those with a higher one may preempt others",
  Lease: "stored",
  EndpointSlice: "created for services",
  ReplicationController: empty,
  CSIDriver: empty,
  CSIStorageCapacity: empty,
  VolumeAttachment: empty,
  VolumeAttributesClass: empty,
  DeviceClass: empty,
  ResourceClaim: empty,
  ResourceClaimTemplate: empty,
  ResourceSlice: empty,
};

/** Kubernetes' own kinds by group. Source: `kubectl api-resources` of 1.35, without alpha and beta versions. */
const known: Readonly<Record<string, readonly string[]>> = {
  "": ["ComponentStatus"],
  "admissionregistration.k8s.io": [
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
  ],
  "apiextensions.k8s.io": ["CustomResourceDefinition"],
  "apiregistration.k8s.io": ["APIService"],
  apps: ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
  autoscaling: ["HorizontalPodAutoscaler"],
  batch: ["CronJob", "Job"],
  "certificates.k8s.io": ["CertificateSigningRequest"],
  "flowcontrol.apiserver.k8s.io": ["FlowSchema", "PriorityLevelConfiguration"],
  "networking.k8s.io": ["Ingress", "IngressClass", "IPAddress", "NetworkPolicy", "ServiceCIDR"],
  "node.k8s.io": ["RuntimeClass"],
  "storage.k8s.io": ["StorageClass"],
};

function absent(): readonly (readonly string[])[] {
  return Object.entries(known).flatMap(([group, names]) => {
    const lacking = names.filter((name) => !kinds.some((kind) => kind.group === group && kind.kind === name));
    return lacking.length === 0 ? [] : [[group === "" ? "core" : code(group), lacking.map(code).join(", ")]];
  });
}
