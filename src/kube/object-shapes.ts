import type { ResourceType } from "./resources.ts";
import type { Shape } from "./shape.ts";

/** Types of the fields that Firesteel reads. Source: Kubernetes API reference 1.35. */

const metadata = {
  ...{ name: "text", namespace: "text", uid: "text", resourceVersion: "text" },
  ...{ creationTimestamp: "text", deletionTimestamp: "text", deletionGracePeriodSeconds: "number" },
  ...{ labels: "texts", annotations: "texts", finalizers: ["text"] },
  ownerReferences: [{ apiVersion: "text", kind: "text", name: "text", uid: "text" }],
  managedFields: [{ manager: "text", operation: "text" }],
} as const satisfies Shape;

const resources = { requests: "scalars", limits: "scalars" } as const;

const container = {
  ...{ name: "text", image: "text", workingDir: "text", restartPolicy: "text", imagePullPolicy: "text" },
  terminationMessagePolicy: "text",
  ...{ command: ["text"], args: ["text"], resources },
  env: [{ name: "text", value: "text", valueFrom: { secretKeyRef: { name: "text", key: "text" } } }],
  envFrom: [{ secretRef: { name: "text" }, configMapRef: { name: "text" } }],
  ports: [{ name: "text", containerPort: "number", hostPort: "number" }],
  volumeMounts: [{ name: "text", mountPath: "text", subPath: "text" }],
} as const satisfies Shape;

const items = [{ key: "text", path: "text" }] as const;

const volume = {
  name: "text",
  configMap: { name: "text", items },
  secret: { secretName: "text", items },
  projected: { sources: [{ secret: { name: "text", items }, configMap: { name: "text", items } }] },
  ...{ persistentVolumeClaim: { claimName: "text" }, hostPath: { path: "text" }, emptyDir: { medium: "text" } },
} as const satisfies Shape;

const state = {
  running: { startedAt: "text" },
  waiting: { reason: "text", message: "text" },
  terminated: {
    ...{ exitCode: "number", signal: "number", reason: "text", message: "text" },
    ...{ startedAt: "text", finishedAt: "text" },
  },
} as const satisfies Shape;

const containerStatus = {
  ...{ name: "text", image: "text", imageID: "text", restartCount: "number", ready: "flag", started: "flag" },
  ...{ state, lastState: state },
} as const satisfies Shape;

const conditions = [
  { type: "text", status: "text", reason: "text", message: "text", lastTransitionTime: "text" },
] as const satisfies Shape;

const pod = {
  spec: {
    ...{ nodeName: "text", serviceAccountName: "text", schedulerName: "text", priorityClassName: "text" },
    ...{ "containers!": [container], initContainers: [container], volumes: [volume] },
    tolerations: [{ key: "text", operator: "text", value: "text", effect: "text" }],
    imagePullSecrets: [{ name: "text" }],
    schedulingGates: [{ name: "text" }],
    ...{ nodeSelector: "texts", restartPolicy: "text", activeDeadlineSeconds: "number", runtimeClassName: "text" },
    ...{ securityContext: {}, affinity: {}, topologySpreadConstraints: [{}], resourceClaims: [{ name: "text" }] },
  },
  status: {
    ...{ phase: "text", reason: "text", message: "text", startTime: "text", podIP: "text", conditions },
    ...{ containerStatuses: [containerStatus], initContainerStatuses: [containerStatus] },
  },
} as const satisfies Shape;

const event = {
  ...{ reason: "text", message: "text", type: "text", count: "number", reportingComponent: "text" },
  ...{ firstTimestamp: "text", lastTimestamp: "text", eventTime: "text" },
  involvedObject: { kind: "text", namespace: "text", name: "text", uid: "text", fieldPath: "text" },
  series: { count: "number", lastObservedTime: "text" },
  source: { component: "text", host: "text" },
} as const satisfies Shape;

const node = {
  spec: { unschedulable: "flag", taints: [{ key: "text", value: "text", effect: "text" }] },
  status: { allocatable: "scalars", capacity: "scalars", conditions, addresses: [{ type: "text", address: "text" }] },
} as const satisfies Shape;

const service = {
  spec: { clusterIP: "text", type: "text", ports: [{ name: "text", port: "number", nodePort: "number" }] },
} as const satisfies Shape;

const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["Pod", { "metadata!": metadata, ...pod }],
  ["Event", { "metadata!": metadata, ...event }],
  ["Node", { "metadata!": metadata, ...node }],
  ["Service", { "metadata!": metadata, ...service }],
  ["ConfigMap", { "metadata!": metadata, data: "texts", binaryData: "texts" }],
  ["Secret", { "metadata!": metadata, data: "texts", type: "text" }],
]);

const anyObject = { apiVersion: "text", kind: "text", "metadata!": metadata } as const satisfies Shape;
/** Reviews are never stored, and may lack metadata. */
const review = { apiVersion: "text", kind: "text", metadata } as const satisfies Shape;

type Kind = Pick<ResourceType, "group" | "kind">;

/** Returns the shape of an object of a kind. */
export function objectShape({ group, kind }: Kind): Shape {
  if (group === "" || group === "events.k8s.io") return shapes.get(kind) ?? anyObject;
  return group.endsWith(".k8s.io") && kind.endsWith("Review") ? review : anyObject;
}

/** Returns the shape of a list of objects of a kind. */
export function listShape(type: Kind): Shape {
  return { items: [objectShape(type)], metadata: { resourceVersion: "text", continue: "text" } };
}
