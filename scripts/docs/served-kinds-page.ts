import { apiVersionOf, type Kind } from "../../src/local-cluster/api/kinds/kind.ts";
import { kinds } from "../../src/local-cluster/api/kinds/table.ts";
import { code, generatedNote, table } from "./table.ts";

/** `docs/local-cluster-api.md`. */
export function servedKindsPage(): string {
  return `${[
    generatedNote("src/local-cluster/api/kinds/table.ts"),
    "# What the embedded cluster serves",
    [
      "The kinds of Kubernetes 1.35 that [the embedded cluster](local-cluster.md) serves, in the order of its discovery, and what becomes",
      `of their objects. Without a word about its verbs, a kind has all: ${all.map(code).join(", ")}.`,
    ].join("\n"),
    table(["kind", "version", "also called", "parts", "what becomes of it"], kinds.map(row)),
    "## What it does not serve",
    "Requests for these are answered with 404, as where a cluster does not have them:",
    table(["group", "kinds"], absent()),
    "So custom resources, and operators that need them, do not work yet.",
  ].join("\n\n")}\n`;
}

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
  if (note === undefined)
    throw new RangeError(`scripts/docs/served-kinds-page.ts: what becomes of a ${kind}?`);
  return note;
}

const review = "answered at once, nothing is kept";
const enforced = "enforced";

/** Of each kind, in a few words. */
const notes: Readonly<Record<string, string>> = {
  Binding: "places a pod",
  ConfigMap: "kept; pods see changes",
  Endpoints: "written for services",
  Event: "the same again counts up; kept for an hour",
  LimitRange: enforced,
  Namespace: "furnished, and emptied before it goes",
  Node: "one runs pods; cordons and taints count; others are kept",
  PersistentVolumeClaim: "gets a folder of this machine, whatever its class; kept while a pod uses it",
  PersistentVolume: "made for claims; one of your own is kept, and not bound",
  Pod: "runs",
  PodTemplate: "kept",
  ResourceQuota: enforced,
  Secret: "kept; those for tokens of service accounts are filled",
  ServiceAccount: "pods get its tokens, which expire",
  Service: "forwards TCP at its address, in turn or by session, and at its node port",
  ControllerRevision: "written for stateful sets",
  Deployment: "kept up, rolled over",
  ReplicaSet: "kept up",
  StatefulSet: "kept up, with claims",
  SelfSubjectReview: review,
  TokenReview: review,
  LocalSubjectAccessReview: review,
  SelfSubjectAccessReview: review,
  SelfSubjectRulesReview: review,
  SubjectAccessReview: review,
  Job: "run to its end, and removed when its time is over",
  Ingress: "kept, and not served",
  NetworkPolicy: "kept, and not enforced",
  PodDisruptionBudget: "evictions keep to it",
  ClusterRoleBinding: enforced,
  ClusterRole: `${enforced}; aggregated`,
  RoleBinding: enforced,
  Role: enforced,
  StorageClass: "kept; claims are served whatever theirs is",
  PriorityClass: "gives pods their priority; nothing is preempted",
  Lease: "kept",
  EndpointSlice: "written for services",
};

/** Kubernetes' own kinds by group. Source: `kubectl api-resources` of 1.35, without alpha and beta versions. */
const known: Readonly<Record<string, readonly string[]>> = {
  "": ["ComponentStatus", "ReplicationController"],
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
  "resource.k8s.io": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
  "storage.k8s.io": [
    ...["CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment"],
    "VolumeAttributesClass",
  ],
};

function absent(): readonly (readonly string[])[] {
  return Object.entries(known).flatMap(([group, names]) => {
    const lacking = names.filter((name) => !kinds.some((kind) => kind.group === group && kind.kind === name));
    return lacking.length === 0 ? [] : [[group === "" ? "core" : code(group), lacking.map(code).join(", ")]];
  });
}
