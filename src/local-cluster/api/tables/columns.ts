import type { HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus } from "kubernetes-types/autoscaling/v2.d.ts";
import type { CronJobSpec, CronJobStatus } from "kubernetes-types/batch/v1.d.ts";
import type {
  EndpointSubset,
  NodeSpec,
  NodeStatus,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  ServiceSpec,
  ServiceStatus,
} from "kubernetes-types/core/v1.d.ts";
import type { IngressClassSpec, IngressSpec } from "kubernetes-types/networking/v1.d.ts";
import type { RoleRef, Subject } from "kubernetes-types/rbac/v1.d.ts";
import type { Container, Event } from "../../../kube/types.ts";
import { ownMember } from "../../../values/own-member.ts";
import type { SigningRequestObject } from "../kinds/certificates/signing-request.ts";
import type { Draft } from "../object.ts";
import {
  age,
  ageColumn,
  type Column,
  column,
  duration,
  integer,
  labelText,
  nameColumn,
  orNone,
  wide,
} from "./column.ts";
import { metricsText } from "./metrics-text.ts";
import { podColumns } from "./pod-columns.ts";

type Data = Readonly<Record<string, string>>;
type WithData = Draft & { data?: Data; binaryData?: Data; type?: string };
type WithPhase = Draft & { status: { phase?: string } };
type ServiceRow = Draft & { spec: ServiceSpec; status?: ServiceStatus };
type ClaimRow = Draft & {
  spec: PersistentVolumeClaimSpec;
  status: { phase?: string; capacity?: Data; accessModes?: string[] };
};
type VolumeRow = Draft & { spec: PersistentVolumeSpec; status: { phase?: string; reason?: string } };
type NodeRow = Draft & { spec: NodeSpec; status: NodeStatus };
type EventRow = Draft & Omit<Event, "metadata">;
type BindingRow = Draft & { roleRef: RoleRef; subjects?: Subject[] };
type AutoscalerRow = Draft & { spec: HorizontalPodAutoscalerSpec; status: HorizontalPodAutoscalerStatus };
type CronJobRow = Draft & { spec: CronJobSpec; status: CronJobStatus };
type WorkloadRow = Draft & {
  spec: {
    replicas?: number;
    completions?: number;
    suspend?: boolean;
    selector?: { matchLabels?: Data };
    template: { spec?: { containers: Container[]; nodeSelector?: Data } };
  };
  status: Readonly<Record<string, unknown>>;
};

const data = column<WithData>("Data", (object) => {
  return Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length;
});
const phase = column<WithPhase>("Status", ({ metadata, status }) =>
  metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
);
const containers = wide<WorkloadRow>("Containers", ({ spec }) => containerNames(spec.template));
const images = wide<WorkloadRow>("Images", ({ spec }) => imageNames(spec.template));
const selector = wide<WorkloadRow>("Selector", ({ spec }) => labelText(spec.selector?.matchLabels));

type Template = { readonly spec?: { readonly containers: readonly Container[] } };

function containerNames({ spec }: Template): string {
  return (spec?.containers ?? []).map(({ name }) => name).join(",");
}

function imageNames({ spec }: Template): string {
  return (spec?.containers ?? []).map(({ image }) => image ?? "").join(",");
}

function templateOf({ jobTemplate }: CronJobSpec): Template {
  return jobTemplate.spec?.template ?? {};
}

function count(status: WorkloadRow["status"], field: string): number {
  const value = status[field];
  return typeof value === "number" ? value : 0;
}

const webhookCount = column<Draft & { webhooks?: readonly object[] }>(
  "Webhooks",
  ({ webhooks }) => webhooks?.length ?? 0,
);

const ready = column<WorkloadRow>(
  "Ready",
  ({ spec, status }) => `${count(status, "readyReplicas")}/${spec.replicas ?? 1}`,
);

const bindings: readonly Column<BindingRow>[] = [
  nameColumn,
  column("Role", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  wide("Users", ({ subjects }) => subjectNames(subjects, "User")),
  wide("Groups", ({ subjects }) => subjectNames(subjects, "Group")),
  wide("ServiceAccounts", ({ subjects }) => subjectNames(subjects, "ServiceAccount")),
];

function subjectNames(subjects: readonly Subject[] = [], kind: string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
    .join(", ");
}

const modes: Data = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function modeText(list: readonly string[] = []): string {
  return list.map((mode) => ownMember(modes, mode) ?? mode).join(",");
}

/** Whether a claim is bound, so its capacity and modes are known. */
function hasVolume({ spec }: ClaimRow): boolean {
  return (spec.volumeName ?? "") !== "";
}

const servicePorts = (ports: ServiceSpec["ports"] = []) =>
  orNone(
    ports
      .map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol ?? "TCP"}`)
      .join(","),
  );

function externalAddress({ spec, status }: ServiceRow): string {
  const own = (spec.externalIPs ?? []).join(",");
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  if (spec.type === "LoadBalancer") {
    const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip = "", hostname = "" }) => ip || hostname);
    const all = [...ingress, ...(own === "" ? [] : [own])].join(",");
    return all === "" ? "<pending>" : all;
  }
  return orNone(own);
}

const events: readonly Column<EventRow>[] = [
  column("Last Seen", (event, now) =>
    age(event.series?.lastObservedTime ?? event.lastTimestamp ?? event.firstTimestamp ?? event.eventTime, now),
  ),
  column("Type", ({ type }) => type ?? ""),
  column("Reason", ({ reason }) => reason ?? ""),
  column(
    "Object",
    ({ involvedObject }) => `${(involvedObject?.kind ?? "").toLowerCase()}/${involvedObject?.name ?? ""}`,
  ),
  wide("Subobject", ({ involvedObject }) => involvedObject?.fieldPath ?? ""),
  wide("Source", ({ source, reportingComponent }) =>
    source?.host === undefined
      ? (source?.component ?? reportingComponent ?? "")
      : `${source.component ?? ""}, ${source.host}`,
  ),
  column("Message", ({ message }) => (message ?? "").trim()),
  wide("First Seen", (event, now) => age(event.firstTimestamp ?? event.eventTime, now)),
  wide("Count", ({ count: seen, series }) => series?.count ?? seen ?? 1),
  { ...nameColumn, priority: 1 },
];

function nodeStatus({ spec, status }: NodeRow): string {
  const condition = (status.conditions ?? []).find(({ type }) => type === "Ready");
  const text = condition === undefined ? "Unknown" : condition.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function nodeAddress({ status }: NodeRow, type: string): string {
  return orNone((status.addresses ?? []).find((address) => address.type === type)?.address);
}

function jobStatus({ status, spec }: WorkloadRow): string {
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const held = conditions.filter((one) => one.status === "True").map((one) => String(one.type));
  if (held.includes("Complete")) return "Complete";
  if (held.includes("Failed")) return "Failed";
  return spec.suspend === true ? "Suspended" : "Running";
}

function signingStatus({ status: { conditions = [], certificate = "" } }: SigningRequestObject): string {
  const has = (type: string) => conditions.some((condition) => condition.type === type);
  return [
    has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending",
    ...(has("Failed") ? ["Failed"] : []),
    ...(certificate === "" ? [] : ["Issued"]),
  ].join(",");
}

function endpointText(subsets: readonly EndpointSubset[] = []): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    addresses.flatMap(({ ip }) => (ports.length === 0 ? [ip] : ports.map(({ port }) => `${ip}:${port}`))),
  );
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : orNone(all.join(","));
}

type SliceRow = Draft & {
  addressType: string;
  ports: { port?: number }[] | null;
  endpoints: { addresses: string[] }[] | null;
};

/** Columns by collection; other collections show name and creation time. */
const columnsOf: Readonly<Record<string, readonly Column[]>> = {
  pods: podColumns,
  configmaps: [nameColumn, data, ageColumn],
  secrets: [nameColumn, column<WithData>("Type", ({ type }) => type ?? ""), data, ageColumn],
  serviceaccounts: [nameColumn, ageColumn],
  namespaces: [nameColumn, column<WithPhase>("Status", ({ status }) => status.phase ?? ""), ageColumn],
  services: [
    nameColumn,
    column<ServiceRow>("Type", ({ spec }) => spec.type ?? ""),
    column<ServiceRow>("Cluster-IP", ({ spec }) => orNone(spec.clusterIP)),
    column<ServiceRow>("External-IP", externalAddress),
    column<ServiceRow>("Port(s)", ({ spec }) => servicePorts(spec.ports)),
    ageColumn,
    wide<ServiceRow>("Selector", ({ spec }) => labelText(spec.selector)),
  ],
  endpoints: [
    nameColumn,
    column<Draft & { subsets?: EndpointSubset[] }>("Endpoints", ({ subsets }) => endpointText(subsets)),
    ageColumn,
  ],
  events,
  persistentvolumeclaims: [
    nameColumn,
    phase,
    column<ClaimRow>("Volume", ({ spec }) => spec.volumeName ?? ""),
    column<ClaimRow>("Capacity", (claim) => (hasVolume(claim) ? (claim.status.capacity?.["storage"] ?? "") : "")),
    column<ClaimRow>("Access Modes", (claim) => (hasVolume(claim) ? modeText(claim.status.accessModes) : "")),
    column<ClaimRow>("StorageClass", ({ spec }) => spec.storageClassName ?? ""),
    column<ClaimRow>("VolumeAttributesClass", () => "<unset>"),
    ageColumn,
    wide<ClaimRow>("VolumeMode", ({ spec }) => spec.volumeMode ?? ""),
  ],
  persistentvolumes: [
    nameColumn,
    column<VolumeRow>("Capacity", ({ spec }) => spec.capacity?.["storage"] ?? ""),
    column<VolumeRow>("Access Modes", ({ spec }) => modeText(spec.accessModes)),
    column<VolumeRow>("Reclaim Policy", ({ spec }) => spec.persistentVolumeReclaimPolicy ?? ""),
    phase,
    column<VolumeRow>("Claim", ({ spec: { claimRef } }) => (claimRef ? `${claimRef.namespace}/${claimRef.name}` : "")),
    column<VolumeRow>("StorageClass", ({ spec }) => spec.storageClassName ?? ""),
    column<VolumeRow>("VolumeAttributesClass", () => "<unset>"),
    column<VolumeRow>("Reason", ({ status }) => status.reason ?? ""),
    ageColumn,
    wide<VolumeRow>("VolumeMode", ({ spec }) => spec.volumeMode ?? ""),
  ],
  nodes: [
    nameColumn,
    column<NodeRow>("Status", nodeStatus),
    column<NodeRow>("Roles", ({ metadata }) => {
      const prefix = "node-role.kubernetes.io/";
      const roles = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(prefix));
      return orNone(
        roles
          .map((key) => key.slice(prefix.length))
          .sort()
          .join(","),
      );
    }),
    ageColumn,
    column<NodeRow>("Version", ({ status }) => status.nodeInfo?.kubeletVersion ?? ""),
    wide<NodeRow>("Internal-IP", (node) => nodeAddress(node, "InternalIP")),
    wide<NodeRow>("External-IP", (node) => nodeAddress(node, "ExternalIP")),
    wide<NodeRow>("OS-Image", ({ status }) => status.nodeInfo?.osImage ?? "<unknown>"),
    wide<NodeRow>("Kernel-Version", ({ status }) => status.nodeInfo?.kernelVersion ?? "<unknown>"),
    wide<NodeRow>("Container-Runtime", ({ status }) => status.nodeInfo?.containerRuntimeVersion ?? "<unknown>"),
  ],
  resourcequotas: [
    nameColumn,
    column<QuotaRow>("Request", (quota) => quotaText(quota, (name) => !name.startsWith("limits."))),
    column<QuotaRow>("Limit", (quota) => quotaText(quota, (name) => name.startsWith("limits."))),
    ageColumn,
  ],
  "controllerrevisions.apps": [
    nameColumn,
    column("Controller", ({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
      return owner === undefined ? "<none>" : `${owner.kind.toLowerCase()}.apps/${owner.name}`;
    }),
    // A number in a text column, as in Kubernetes.
    column("Revision", ({ revision }) => Number(revision)),
    ageColumn,
  ],
  "daemonsets.apps": [
    nameColumn,
    integer<WorkloadRow>("Desired", ({ status }) => count(status, "desiredNumberScheduled")),
    integer<WorkloadRow>("Current", ({ status }) => count(status, "currentNumberScheduled")),
    integer<WorkloadRow>("Ready", ({ status }) => count(status, "numberReady")),
    integer<WorkloadRow>("Up-to-date", ({ status }) => count(status, "updatedNumberScheduled")),
    integer<WorkloadRow>("Available", ({ status }) => count(status, "numberAvailable")),
    column<WorkloadRow>("Node Selector", ({ spec }) => labelText(spec.template.spec?.nodeSelector)),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "deployments.apps": [
    nameColumn,
    ready,
    column<WorkloadRow>("Up-to-date", ({ status }) => count(status, "updatedReplicas")),
    column<WorkloadRow>("Available", ({ status }) => count(status, "availableReplicas")),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "replicasets.apps": [
    nameColumn,
    integer<WorkloadRow>("Desired", ({ spec }) => spec.replicas ?? 1),
    integer<WorkloadRow>("Current", ({ status }) => count(status, "replicas")),
    integer<WorkloadRow>("Ready", ({ status }) => count(status, "readyReplicas")),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "statefulsets.apps": [nameColumn, ready, ageColumn, containers, images],
  "horizontalpodautoscalers.autoscaling": [
    nameColumn,
    column<AutoscalerRow>(
      "Reference",
      ({
        spec: {
          scaleTargetRef: { kind, name },
        },
      }) => `${kind}/${name}`,
    ),
    column<AutoscalerRow>("Targets", ({ spec, status }) =>
      metricsText(spec.metrics ?? [], status.currentMetrics ?? []),
    ),
    column<AutoscalerRow>("MinPods", ({ spec }) => String(spec.minReplicas ?? "<unset>")),
    // Numbers in text columns, as in Kubernetes.
    column<AutoscalerRow>("MaxPods", ({ spec }) => spec.maxReplicas),
    column<AutoscalerRow>("Replicas", ({ status }) => status.currentReplicas ?? 0),
    ageColumn,
  ],
  "cronjobs.batch": [
    nameColumn,
    column<CronJobRow>("Schedule", ({ spec }) => spec.schedule),
    column<CronJobRow>("Timezone", ({ spec }) => spec.timeZone ?? "<none>"),
    { ...column<CronJobRow>("Suspend", ({ spec }) => (spec.suspend === true ? "True" : "False")), type: "boolean" },
    integer<CronJobRow>("Active", ({ status }) => (status.active ?? []).length),
    column<CronJobRow>("Last Schedule", ({ status }, now) =>
      status.lastScheduleTime === undefined ? "<none>" : age(status.lastScheduleTime, now),
    ),
    ageColumn,
    wide<CronJobRow>("Containers", ({ spec }) => containerNames(templateOf(spec))),
    wide<CronJobRow>("Images", ({ spec }) => imageNames(templateOf(spec))),
    wide<CronJobRow>("Selector", ({ spec }) => labelText(spec.jobTemplate.spec?.selector?.matchLabels)),
  ],
  "jobs.batch": [
    nameColumn,
    column<WorkloadRow>("Status", jobStatus),
    column<WorkloadRow>("Completions", ({ spec, status }) => `${count(status, "succeeded")}/${spec.completions ?? 1}`),
    column<WorkloadRow>("Duration", ({ status }, now) => {
      const { startTime, completionTime } = status;
      if (typeof startTime !== "string") return "";
      return duration((typeof completionTime === "string" ? Date.parse(completionTime) : now) - Date.parse(startTime));
    }),
    ageColumn,
    containers,
    images,
    selector,
  ],
  "certificatesigningrequests.certificates.k8s.io": [
    nameColumn,
    ageColumn,
    column<SigningRequestObject>("SignerName", ({ spec }) => orNone(spec.signerName)),
    column<SigningRequestObject>("Requestor", ({ spec }) => spec.username ?? ""),
    column<SigningRequestObject>("RequestedDuration", ({ spec: { expirationSeconds } }) =>
      expirationSeconds === undefined ? "<none>" : duration(expirationSeconds * 1000),
    ),
    column<SigningRequestObject>("Condition", signingStatus),
  ],
  "ingresses.networking.k8s.io": [
    nameColumn,
    column<IngressRow>("Class", ({ spec }) => orNone(spec.ingressClassName)),
    column<IngressRow>("Hosts", ({ spec }) => (spec.rules ?? []).map(({ host }) => host ?? "*").join(",") || "*"),
    column<IngressRow>("Address", () => ""),
    column<IngressRow>("Ports", ({ spec }) => ((spec.tls ?? []).length > 0 ? "80, 443" : "80")),
    ageColumn,
  ],
  "ingressclasses.networking.k8s.io": [
    nameColumn,
    column<IngressClassRow>("Controller", ({ spec }) => spec.controller ?? ""),
    column<IngressClassRow>("Parameters", ({ spec: { parameters } }) => {
      if (parameters === undefined) return "<none>";
      const { kind, apiGroup, name } = parameters;
      return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
    }),
    ageColumn,
  ],
  "apiservices.apiregistration.k8s.io": [
    nameColumn,
    column<ApiServiceRow>("Service", ({ spec: { service } }) =>
      service === undefined ? "Local" : `${service.namespace}/${service.name}`,
    ),
    column<ApiServiceRow>("Available", ({ status }) => {
      const condition = status?.conditions?.find(({ type }) => type === "Available");
      if (condition === undefined) return "Unknown";
      return condition.status === "True" ? "True" : `${condition.status} (${condition.reason})`;
    }),
    ageColumn,
  ],
  "runtimeclasses.node.k8s.io": [nameColumn, column("Handler", ({ handler }) => String(handler)), ageColumn],
  "networkpolicies.networking.k8s.io": [
    nameColumn,
    column<Draft & { spec: { podSelector?: { matchLabels?: Data } } }>("Pod-Selector", ({ spec }) =>
      labelText(spec.podSelector?.matchLabels),
    ),
    ageColumn,
  ],
  "poddisruptionbudgets.policy": [
    nameColumn,
    column<BudgetRow>("Min Available", ({ spec }) => String(spec.minAvailable ?? "N/A")),
    column<BudgetRow>("Max Unavailable", ({ spec }) => String(spec.maxUnavailable ?? "N/A")),
    integer<BudgetRow>("Allowed Disruptions", ({ status }) => status.disruptionsAllowed ?? 0),
    ageColumn,
  ],
  "clusterrolebindings.rbac.authorization.k8s.io": bindings,
  "rolebindings.rbac.authorization.k8s.io": bindings,
  "csinodes.storage.k8s.io": [
    nameColumn,
    integer<Draft & { spec: { drivers: readonly object[] | null } }>(
      "Drivers",
      ({ spec }) => spec.drivers?.length ?? 0,
    ),
    ageColumn,
  ],
  "storageclasses.storage.k8s.io": [
    nameColumn,
    column("Provisioner", ({ provisioner }) => String(provisioner)),
    column("ReclaimPolicy", ({ reclaimPolicy }) => String(reclaimPolicy ?? "Delete")),
    column("VolumeBindingMode", ({ volumeBindingMode }) => String(volumeBindingMode ?? "<unset>")),
    column("AllowVolumeExpansion", ({ allowVolumeExpansion }) => allowVolumeExpansion === true),
    ageColumn,
  ],
  "priorityclasses.scheduling.k8s.io": [
    nameColumn,
    integer("Value", ({ value }) => Number(value)),
    { ...column("Global-Default", ({ globalDefault }) => globalDefault === true), type: "boolean" },
    ageColumn,
    column("PreemptionPolicy", ({ preemptionPolicy }) => String(preemptionPolicy ?? "")),
  ],
  "leases.coordination.k8s.io": [
    nameColumn,
    column<Draft & { spec: { holderIdentity?: string } }>("Holder", ({ spec }) => spec.holderIdentity ?? ""),
    ageColumn,
  ],
  "endpointslices.discovery.k8s.io": [
    nameColumn,
    column<SliceRow>("AddressType", ({ addressType }) => addressType),
    column<SliceRow>("Ports", ({ ports }) => (ports ?? []).map(({ port }) => port ?? "*").join(",") || "<unset>"),
    column<SliceRow>(
      "Endpoints",
      ({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses).join(",") || "<unset>",
    ),
    ageColumn,
  ],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": [nameColumn, webhookCount, ageColumn],
  "validatingwebhookconfigurations.admissionregistration.k8s.io": [nameColumn, webhookCount, ageColumn],
};

type QuotaRow = Draft & { status: { hard?: Data; used?: Data } };
type IngressRow = Draft & { spec: IngressSpec };
type ApiServiceRow = Draft & {
  spec: { service?: { namespace: string; name: string } };
  status?: { conditions?: readonly { type: string; status: string; reason?: string }[] };
};
type IngressClassRow = Draft & { spec: IngressClassSpec };
type BudgetRow = Draft & {
  spec: { minAvailable?: number | string; maxUnavailable?: number | string };
  status: { disruptionsAllowed?: number };
};

function quotaText({ status }: QuotaRow, matchesName: (name: string) => boolean): string {
  const names = Object.keys(status.hard ?? {})
    .filter(matchesName)
    .sort();
  return names.map((name) => `${name}: ${status.used?.[name] ?? "0"}/${status.hard?.[name] ?? ""}`).join(", ");
}

const standard: readonly Column[] = [
  nameColumn,
  { ...column("Created At", ({ metadata }) => metadata.creationTimestamp ?? null), type: "date" },
];

/** Returns the columns of a collection. */
export function columnsFor(collection: string): readonly Column[] {
  return columnsOf[collection] ?? standard;
}
