import { sectionOf, structType } from "../schema/schema.ts";
import { accessGroup, clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from "./access-kinds.ts";
import { apiServiceGroup, apiServiceRules } from "./api-service.ts";
import { autoscalerRules } from "./autoscaling/autoscaler.ts";
import { toOldAutoscaler, toStoredAutoscaler } from "./autoscaling/autoscaler-versions.ts";
import { signingRequestRules } from "./certificates/signing-request.ts";
import { ingressClassRules, runtimeClassRules } from "./class-kinds.ts";
import { configMapRules, secretRules } from "./config-data.ts";
import { budgetRules, leaseRules, namespaceRules, priorityClassRules, serviceAccountRules } from "./core-kinds.ts";
import { csiNodeRules } from "./csi-node.ts";
import { definitionRules } from "./definition.ts";
import { eventRules, newEventRules } from "./event.ts";
import { toCoreEvent, toNewEvent } from "./event-versions.ts";
import type { Kind, Subresource, Verb } from "./kind.ts";
import { limitRangeRules } from "./limit-range.ts";
import { endpointSliceRules, endpointsRules, ingressRules, networkPolicyRules } from "./network-kinds.ts";
import { nodeRules } from "./node.ts";
import { podRules } from "./pod.ts";
import { quotaRules } from "./quota.ts";
import type { Rules } from "./rules.ts";
import { serviceRules } from "./service.ts";
import { claimRules, storageClassRules, volumeRules } from "./storage-kinds.ts";
import { mutatingWebhookRules, validatingWebhookRules } from "./webhook.ts";
import { cronJobRules } from "./workloads/cron-job.ts";
import { daemonSetRules } from "./workloads/daemon-set.ts";
import { deploymentRules } from "./workloads/deployment.ts";
import { jobRules } from "./workloads/job.ts";
import { replicaSetRules } from "./workloads/replica-set.ts";
import { statefulSetRules } from "./workloads/stateful-set.ts";

const allVerbs: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const reading: readonly Verb[] = ["get", "list", "watch"];
const writing: readonly Verb[] = ["get", "patch", "update"];
const streaming: readonly Verb[] = ["create", "get"];
const proxying: readonly Verb[] = ["create", "delete", "get", "patch", "update"];

interface Options {
  readonly isClusterWide?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  /** @default the lowercase kind */
  readonly singular?: string;
  /** @default the plural and the group */
  readonly collection?: string;
  readonly rules?: Rules;
  readonly conversion?: NonNullable<Kind["conversion"]>;
  readonly messageGroup?: string;
  readonly deprecation?: string;
}

function kind(apiVersion: string, name: string, plural: string, options: Options = {}): Kind {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const section = sectionOf(group, version);
  return {
    group: group ?? "",
    version: version ?? "",
    kind: name,
    plural,
    namespaced: options.isClusterWide !== true,
    singular: options.singular ?? name.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    verbs: options.verbs ?? allVerbs,
    subresources: options.subresources ?? [],
    collection: options.collection ?? (group === "" ? plural : `${plural}.${group}`),
    type: structType(`${section}.${name}`),
    rules: options.rules ?? {},
    ...(options.conversion === undefined ? {} : { conversion: options.conversion }),
    ...(options.messageGroup === undefined ? {} : { messageGroup: options.messageGroup }),
    ...(options.deprecation === undefined ? {} : { deprecation: options.deprecation }),
  };
}

function part(name: string, verbs: readonly Verb[], own: string, apiVersion = ""): Subresource {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  return { name, verbs, kind: { group, version, kind: own } };
}

/** A kind without objects: schedulers and operators list it when they start, and do not work without a response. */
function emptyKind(...[apiVersion, name, plural, options]: Parameters<typeof kind>): Kind {
  return kind(apiVersion, name, plural, { ...options, verbs: reading });
}

const scale = part("scale", writing, "Scale", "autoscaling/v1");
const all = ["all"];
const extensions = ["api-extensions"];

/** Options of both versions of autoscalers. */
const autoscaler: Options = {
  shortNames: ["hpa"],
  categories: all,
  subresources: [part("status", writing, "HorizontalPodAutoscaler")],
  rules: autoscalerRules,
};

/** All kinds that the API serves, in the order of discovery. */
export const kinds: readonly Kind[] = [
  kind("v1", "Binding", "bindings", { verbs: ["create"] }),
  kind("v1", "ConfigMap", "configmaps", { shortNames: ["cm"], rules: configMapRules }),
  kind("v1", "Endpoints", "endpoints", {
    shortNames: ["ep"],
    rules: endpointsRules,
    deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  }),
  kind("v1", "Event", "events", { shortNames: ["ev"], rules: eventRules }),
  kind("v1", "LimitRange", "limitranges", { shortNames: ["limits"], rules: limitRangeRules }),
  kind("v1", "Namespace", "namespaces", {
    isClusterWide: true,
    shortNames: ["ns"],
    verbs: allVerbs.filter((verb) => verb !== "deletecollection"),
    subresources: [part("finalize", ["update"], "Namespace"), part("status", writing, "Namespace")],
    rules: namespaceRules,
  }),
  kind("v1", "Node", "nodes", {
    isClusterWide: true,
    shortNames: ["no"],
    subresources: [part("proxy", proxying, "NodeProxyOptions"), part("status", writing, "Node")],
    rules: nodeRules,
  }),
  kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    shortNames: ["pvc"],
    subresources: [part("status", writing, "PersistentVolumeClaim")],
    rules: claimRules,
  }),
  kind("v1", "PersistentVolume", "persistentvolumes", {
    isClusterWide: true,
    shortNames: ["pv"],
    subresources: [part("status", writing, "PersistentVolume")],
    rules: volumeRules,
  }),
  kind("v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: all,
    subresources: [
      part("attach", streaming, "PodAttachOptions"),
      part("binding", ["create"], "Binding"),
      part("ephemeralcontainers", writing, "Pod"),
      part("eviction", ["create"], "Eviction", "policy/v1"),
      part("exec", streaming, "PodExecOptions"),
      part("log", ["get"], "Pod"),
      part("portforward", streaming, "PodPortForwardOptions"),
      part("proxy", proxying, "PodProxyOptions"),
      part("resize", writing, "Pod"),
      part("status", writing, "Pod"),
    ],
    rules: podRules,
  }),
  kind("v1", "PodTemplate", "podtemplates"),
  emptyKind("v1", "ReplicationController", "replicationcontrollers", { shortNames: ["rc"], categories: all }),
  kind("v1", "ResourceQuota", "resourcequotas", {
    shortNames: ["quota"],
    subresources: [part("status", writing, "ResourceQuota")],
    rules: quotaRules,
  }),
  kind("v1", "Secret", "secrets", { rules: secretRules }),
  kind("v1", "ServiceAccount", "serviceaccounts", {
    shortNames: ["sa"],
    subresources: [part("token", ["create"], "TokenRequest", "authentication.k8s.io/v1")],
    rules: serviceAccountRules,
  }),
  kind("v1", "Service", "services", {
    shortNames: ["svc"],
    categories: all,
    subresources: [part("proxy", proxying, "ServiceProxyOptions"), part("status", writing, "Service")],
    rules: serviceRules,
  }),
  kind(`${apiServiceGroup}/v1`, "APIService", "apiservices", {
    isClusterWide: true,
    categories: extensions,
    subresources: [part("status", writing, "APIService")],
    rules: apiServiceRules,
  }),
  kind("apps/v1", "ControllerRevision", "controllerrevisions"),
  kind("apps/v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: all,
    subresources: [part("status", writing, "DaemonSet")],
    rules: daemonSetRules,
  }),
  kind("apps/v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: all,
    subresources: [scale, part("status", writing, "Deployment")],
    rules: deploymentRules,
  }),
  kind("apps/v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: all,
    subresources: [scale, part("status", writing, "ReplicaSet")],
    rules: replicaSetRules,
  }),
  kind("apps/v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: all,
    subresources: [scale, part("status", writing, "StatefulSet")],
    rules: statefulSetRules,
  }),
  kind("events.k8s.io/v1", "Event", "events", {
    shortNames: ["ev"],
    collection: "events",
    conversion: { toStored: toCoreEvent, fromStored: toNewEvent },
    messageGroup: "",
    rules: newEventRules,
  }),
  kind("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", {
    isClusterWide: true,
    verbs: ["create"],
  }),
  kind("authentication.k8s.io/v1", "TokenReview", "tokenreviews", { isClusterWide: true, verbs: ["create"] }),
  kind("authorization.k8s.io/v1", "LocalSubjectAccessReview", "localsubjectaccessreviews", {
    verbs: ["create"],
  }),
  kind("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", {
    isClusterWide: true,
    verbs: ["create"],
  }),
  kind("authorization.k8s.io/v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", {
    isClusterWide: true,
    verbs: ["create"],
  }),
  kind("authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews", {
    isClusterWide: true,
    verbs: ["create"],
  }),
  kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", autoscaler),
  kind("autoscaling/v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    ...autoscaler,
    conversion: { toStored: toStoredAutoscaler, fromStored: toOldAutoscaler },
  }),
  kind("batch/v1", "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: all,
    subresources: [part("status", writing, "CronJob")],
    rules: cronJobRules,
  }),
  kind("batch/v1", "Job", "jobs", {
    categories: all,
    subresources: [part("status", writing, "Job")],
    rules: jobRules,
  }),
  kind("certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests", {
    isClusterWide: true,
    shortNames: ["csr"],
    subresources: [
      part("approval", writing, "CertificateSigningRequest"),
      part("status", writing, "CertificateSigningRequest"),
    ],
    rules: signingRequestRules,
  }),
  kind("networking.k8s.io/v1", "IngressClass", "ingressclasses", { isClusterWide: true, rules: ingressClassRules }),
  kind("networking.k8s.io/v1", "Ingress", "ingresses", {
    shortNames: ["ing"],
    subresources: [part("status", writing, "Ingress")],
    rules: ingressRules,
  }),
  kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    shortNames: ["netpol"],
    rules: networkPolicyRules,
  }),
  kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    subresources: [part("status", writing, "PodDisruptionBudget")],
    rules: budgetRules,
  }),
  kind(`${accessGroup}/v1`, "ClusterRoleBinding", "clusterrolebindings", {
    isClusterWide: true,
    rules: clusterRoleBindingRules,
  }),
  kind(`${accessGroup}/v1`, "ClusterRole", "clusterroles", { isClusterWide: true, rules: clusterRoleRules }),
  kind(`${accessGroup}/v1`, "RoleBinding", "rolebindings", { rules: roleBindingRules }),
  kind(`${accessGroup}/v1`, "Role", "roles", { rules: roleRules }),
  emptyKind("storage.k8s.io/v1", "CSIDriver", "csidrivers", { isClusterWide: true }),
  kind("storage.k8s.io/v1", "CSINode", "csinodes", { isClusterWide: true, rules: csiNodeRules }),
  emptyKind("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities"),
  kind("storage.k8s.io/v1", "StorageClass", "storageclasses", {
    isClusterWide: true,
    shortNames: ["sc"],
    rules: storageClassRules,
  }),
  emptyKind("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", { isClusterWide: true }),
  emptyKind("storage.k8s.io/v1", "VolumeAttributesClass", "volumeattributesclasses", {
    isClusterWide: true,
    shortNames: ["vac"],
  }),
  kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", {
    isClusterWide: true,
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    subresources: [part("status", writing, "CustomResourceDefinition")],
    rules: definitionRules,
  }),
  kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", {
    isClusterWide: true,
    shortNames: ["pc"],
    rules: priorityClassRules,
  }),
  kind("coordination.k8s.io/v1", "Lease", "leases", { rules: leaseRules }),
  kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", { isClusterWide: true, rules: runtimeClassRules }),
  kind("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", { rules: endpointSliceRules }),
  emptyKind("resource.k8s.io/v1", "DeviceClass", "deviceclasses", { isClusterWide: true }),
  emptyKind("resource.k8s.io/v1", "ResourceClaim", "resourceclaims"),
  emptyKind("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates"),
  emptyKind("resource.k8s.io/v1", "ResourceSlice", "resourceslices", { isClusterWide: true }),
  kind("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", {
    isClusterWide: true,
    categories: extensions,
    rules: mutatingWebhookRules,
  }),
  kind("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", {
    isClusterWide: true,
    categories: extensions,
    rules: validatingWebhookRules,
  }),
];

const byPath = new Map(kinds.map((entry) => [`${entry.group}/${entry.version}/${entry.plural}`, entry]));

/** Returns the kind with a plural in a group and version. */
export function findKind(group: string, version: string, plural: string): Kind | undefined {
  return byPath.get(`${group}/${version}/${plural}`);
}

/** Returns the kind of a collection's objects, in the stored version. */
export function kindOfCollection(collection: string): Kind | undefined {
  return kinds.find((entry) => entry.collection === collection && entry.verbs.includes("get"));
}

/** Returns the kinds whose objects a collection stores, one for each version. */
export function kindsOfCollection(collection: string): readonly Kind[] {
  return kinds.filter((entry) => entry.collection === collection && entry.verbs.includes("get"));
}

function served(plural: string): Kind {
  const found = findKind("", "v1", plural);
  if (found === undefined) throw new RangeError(`No kind ${plural} in the table.`);
  return found;
}

/** The kind of pods. */
export const podsKind: Kind = served("pods");

/** The kind of namespaces. */
export const namespacesKind: Kind = served("namespaces");
