import { expect, test } from "vitest";
import type { CauseName } from "../diagnosis/causes.ts";
import type { TestApi } from "../local-cluster/test-api.ts";
import type { Finding } from "./finding.ts";
import { predictableCauses } from "./predictable-causes.ts";
import { doctor, problems, type TestDoctor } from "./test-doctor.ts";

const driver = "spark.kubernetes.driver";
const executor = "spark.kubernetes.executor";

/** Pod templates by their YAML, for the driver or for executors. */
function template(role: "driver" | "executor", spec: string): TestDoctor {
  return {
    conf: { [`spark.kubernetes.${role}.podTemplateFile`]: "/t.yml" },
    files: { "/t.yml": `spec: ${spec}` },
  };
}

/** Stores an object of the core group in the namespace of the submission. */
function object(kind: string, name: string, fields: object) {
  const stored = { apiVersion: "v1", kind, metadata: { name, namespace: "default" }, ...fields };
  return (cluster: TestApi) => cluster.put(`${kind.toLowerCase()}s`, stored);
}

const image = { "spark.kubernetes.container.image": "r.io/spark:1" };

/** Another pod on the node, with labels `app: other` and the fields of its spec. */
function otherPod(spec: object, container: object = {}): NonNullable<TestDoctor["setUp"]> {
  return object("Pod", "other", {
    metadata: { name: "other", namespace: "default", labels: { app: "other" } },
    spec: { nodeName: "one", containers: [{ name: "c", ...container }], ...spec },
    status: { phase: "Running" },
  });
}

const hostname = "kubernetes.io/hostname";
const ofOthers = `{matchLabels: {app: other}}`;

/** Driver with a required term of pod affinity or anti-affinity. */
function affinityTemplate(kind: "podAffinity" | "podAntiAffinity", topologyKey: string): TestDoctor {
  const term = `{labelSelector: ${ofOthers}, topologyKey: ${topologyKey}}`;
  return template("driver", `{affinity: {${kind}: {requiredDuringSchedulingIgnoredDuringExecution: [${term}]}}}`);
}

/** Driver with a topology spread constraint. */
function spreadTemplate(topologyKey: string): TestDoctor {
  const constraint = `{maxSkew: 1, topologyKey: ${topologyKey}, whenUnsatisfiable: DoNotSchedule, labelSelector: ${ofOthers}}`;
  return template("driver", `{topologySpreadConstraints: [${constraint}]}`);
}

/** One node has the CPUs of the driver, the other its memory. */
const unevenNodes: TestDoctor = {
  conf: { "spark.driver.cores": "8", "spark.driver.memory": "6g" },
  setUp: ({ put }) =>
    put("nodes", {
      ...{ apiVersion: "v1", kind: "Node", metadata: { name: "two" }, spec: {} },
      status: { allocatable: { cpu: "16", memory: "2Gi", pods: "110" } },
    }),
};

/** Response of the API to pods. Policies, webhooks and Pod Security are not part of the embedded API. */
function podRejection(status: number, message: string): TestDoctor {
  return { podRejection: { status, message } };
}

/** Every cause that can be known before the submission, with a cluster or a submission that has it. */
const rows: readonly (TestDoctor & { readonly cause: CauseName; readonly status?: "warning" })[] = [
  { cause: "namespace-missing", conf: { "spark.kubernetes.namespace": "gone" } },
  {
    cause: "namespace-terminating",
    conf: { "spark.kubernetes.namespace": "ending" },
    setUp: ({ put }) =>
      put("namespaces", {
        ...{ apiVersion: "v1", kind: "Namespace" },
        metadata: { name: "ending", deletionTimestamp: "2026-01-01T00:00:00Z" },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Terminating" },
      }),
  },
  { cause: "service-account-missing", conf: { "spark.kubernetes.authenticate.driver.serviceAccountName": "gone" } },
  {
    cause: "executor-account-missing",
    conf: { "spark.kubernetes.authenticate.executor.serviceAccountName": "gone" },
  },
  { cause: "driver-forbidden", conf: { "spark.kubernetes.authenticate.driver.serviceAccountName": "default" } },
  { cause: "secret-missing", conf: { [`${driver}.secrets.gone`]: "/s" } },
  { cause: "executor-secret-missing", conf: { [`${executor}.secrets.gone`]: "/s" } },
  {
    cause: "secret-key-missing",
    conf: { [`${driver}.secretKeyRef.A`]: "db:password" },
    setUp: object("Secret", "db", { data: { user: "" } }),
  },
  { cause: "config-map-missing", ...template("driver", "{volumes: [{name: v, configMap: {name: gone}}]}") },
  {
    cause: "config-map-key-missing",
    ...template(
      "driver",
      "{containers: [{name: c, env: [{name: A, valueFrom: {configMapKeyRef: {name: some, key: gone}}}]}]}",
    ),
    setUp: object("ConfigMap", "some", { data: {} }),
  },
  {
    cause: "image-pull-secret-missing",
    status: "warning",
    conf: { "spark.kubernetes.container.image.pullSecrets": "gone" },
  },
  { cause: "priority-class-missing", ...template("driver", "{priorityClassName: gone}") },
  { cause: "runtime-class-missing", ...template("driver", "{runtimeClassName: gone}") },
  { cause: "node-missing", ...template("driver", "{nodeName: gone}") },
  {
    cause: "pvc-missing",
    conf: {
      [`${driver}.volumes.persistentVolumeClaim.data.mount.path`]: "/d",
      [`${driver}.volumes.persistentVolumeClaim.data.options.claimName`]: "gone",
    },
  },
  {
    cause: "storage-class-missing",
    conf: {
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.mount.path`]: "/d",
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.options.claimName`]: "OnDemand",
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.options.storageClass`]: "gone",
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.options.sizeLimit`]: "1Gi",
    },
  },
  {
    cause: "pvc-unbound",
    conf: {
      [`${driver}.volumes.persistentVolumeClaim.data.mount.path`]: "/d",
      [`${driver}.volumes.persistentVolumeClaim.data.options.claimName`]: "some",
    },
    setUp: object("PersistentVolumeClaim", "some", { spec: {}, status: { phase: "Pending" } }),
  },
  {
    cause: "limit-range",
    setUp: object("LimitRange", "max", { spec: { limits: [{ type: "Container", max: { memory: "1Gi" } }] } }),
  },
  {
    cause: "name-taken",
    conf: { [`${driver}.pod.name`]: "taken" },
    setUp: object("Pod", "taken", { spec: { containers: [] }, status: { phase: "Running" } }),
  },
  {
    cause: "quota-exceeded",
    setUp: object("ResourceQuota", "small", { spec: { hard: { "requests.memory": "1Gi" } } }),
  },
  {
    cause: "executor-quota-exceeded",
    setUp: object("ResourceQuota", "small", { spec: { hard: { pods: "1" } } }),
  },
  {
    cause: "executor-quota-exceeded",
    status: "warning",
    conf: { "spark.executor.instances": "5" },
    setUp: object("ResourceQuota", "some", { spec: { hard: { "requests.cpu": "3" } } }),
  },
  {
    cause: "executor-quota-exceeded",
    status: "warning",
    conf: { "spark.dynamicAllocation.enabled": "true" },
    setUp: object("ResourceQuota", "some", { spec: { hard: { pods: "5" } } }),
  },
  {
    cause: "executor-shuffle-service-missing",
    status: "warning",
    conf: { "spark.firesteel.shuffle": "service", "spark.dynamicAllocation.maxExecutors": "2" },
  },
  { cause: "node-selector-mismatch", conf: { [`${driver}.node.selector.disk`]: "tape" } },
  {
    cause: "node-selector-mismatch",
    conf: {
      [`${driver}.volumes.persistentVolumeClaim.data.mount.path`]: "/d",
      [`${driver}.volumes.persistentVolumeClaim.data.options.claimName`]: "some",
    },
    setUp(cluster) {
      const matchExpressions = [{ key: "disk", operator: "In", values: ["tape"] }];
      cluster.put("persistentvolumes", {
        ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "elsewhere" } },
        spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
      });
      const bound = { spec: { volumeName: "elsewhere" }, status: { phase: "Bound" } };
      object("PersistentVolumeClaim", "some", bound)(cluster);
    },
  },
  { cause: "untolerated-taint", node: { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } } },
  { cause: "node-unschedulable", node: { spec: { unschedulable: true } } },
  { cause: "insufficient-cpu", conf: { "spark.driver.cores": "5" } },
  { cause: "executor-unschedulable", conf: { "spark.executor.cores": "5" } },
  { cause: "insufficient-memory", conf: { "spark.driver.memory": "8g" } },
  {
    cause: "insufficient-ephemeral-storage",
    ...template("driver", "{containers: [{name: c, resources: {requests: {ephemeral-storage: 60Gi}}}]}"),
  },
  {
    cause: "insufficient-extended-resource",
    ...template("driver", "{containers: [{name: c, resources: {limits: {example.com/gpu: 1}}}]}"),
  },
  { cause: "unschedulable-mixed", ...unevenNodes },
  {
    cause: "scheduling-gated",
    status: "warning",
    ...template("driver", "{schedulingGates: [{name: example.com/wait}]}"),
  },
  {
    cause: "quota-needs-limit",
    setUp: object("ResourceQuota", "limits", {
      spec: { hard: { "limits.cpu": "4" } },
      status: { hard: { "limits.cpu": "4" }, used: { "limits.cpu": "0" } },
    }),
  },
  {
    cause: "image-never-pull",
    status: "warning",
    conf: { ...image, "spark.kubernetes.container.image.pullPolicy": "Never" },
  },
  {
    cause: "executor-image-name-invalid",
    conf: { "spark.kubernetes.executor.container.image": "r.io/Spark:1" },
  },
  { cause: "image-not-found", conf: image },
  { cause: "executor-image-not-found", conf: { "spark.kubernetes.executor.container.image": "r.io/gone:1" } },
  { cause: "image-name-invalid", conf: { "spark.kubernetes.container.image": "r.io/Spark:1" } },
  { cause: "image-unauthorized", status: "warning", conf: image, registry: { status: 401 } },
  {
    cause: "image-wrong-platform",
    conf: image,
    registry: { status: 200, body: { manifests: [{ platform: { os: "linux", architecture: "arm64" } }] } },
  },
  { cause: "setting-invalid", conf: { "spark.driver.memory": "lots" } },
  { cause: "invalid-object", ...template("driver", "{dnsPolicy: Sometimes}") },
  {
    cause: "host-port-taken",
    status: "warning",
    ...template("driver", "{containers: [{name: c, ports: [{containerPort: 4041, hostPort: 14040}]}]}"),
    setUp: otherPod({}, { ports: [{ containerPort: 80, hostPort: 14040 }] }),
  },
  { cause: "insufficient-cpu", status: "warning", setUp: otherPod({}, { resources: { requests: { cpu: "3500m" } } }) },
  {
    cause: "executor-unschedulable",
    status: "warning",
    setUp: otherPod({}, { resources: { requests: { memory: "6Gi" } } }),
  },
  {
    cause: "too-many-pods",
    status: "warning",
    setUp: otherPod({}),
    node: { status: { allocatable: { cpu: "4", memory: "8Gi", pods: "1" } } },
  },
  { cause: "pod-affinity-mismatch", ...affinityTemplate("podAffinity", "zone") },
  { cause: "pod-affinity-mismatch", status: "warning", ...affinityTemplate("podAffinity", hostname) },
  {
    cause: "pod-affinity-mismatch",
    status: "warning",
    ...affinityTemplate("podAntiAffinity", hostname),
    setUp: otherPod({}),
  },
  { cause: "topology-spread-mismatch", ...spreadTemplate("zone") },
  {
    cause: "topology-spread-mismatch",
    status: "warning",
    ...spreadTemplate("disk"),
    setUp(cluster) {
      // The other domain has fewer pods, and no room for the driver.
      const status = { allocatable: { cpu: "1m", memory: "1Mi", pods: "110" } };
      const metadata = { name: "two", labels: { disk: "tape" } };
      cluster.put("nodes", { apiVersion: "v1", kind: "Node", metadata, spec: {}, status });
      otherPod({})(cluster);
      cluster.put("pods", {
        ...{ apiVersion: "v1", kind: "Pod", status: { phase: "Running" } },
        metadata: { name: "third", namespace: "default", labels: { app: "other" } },
        spec: { nodeName: "one", containers: [{ name: "c" }] },
      });
    },
  },
  { cause: "node-refused-pod", ...template("driver", "{nodeName: one, nodeSelector: {disk: tape}}") },
  {
    cause: "node-refused-pod",
    ...template("driver", "{nodeName: one, containers: [{name: c, resources: {requests: {ephemeral-storage: 60Gi}}}]}"),
  },
  { cause: "run-as-non-root", ...template("driver", "{securityContext: {runAsNonRoot: true, runAsUser: 0}}") },
  { cause: "unauthorized", account: "unknown" },
  { cause: "forbidden", account: "default" },
  {
    cause: "resource-claim-missing",
    ...template("driver", "{resourceClaims: [{name: gpu, resourceClaimName: gone}]}"),
  },
  { cause: "config-map-too-large", conf: { "spark.large": "x".repeat(1_200_000) } },
  { cause: "request-too-large", conf: { "spark.large": "x".repeat(3_300_000) } },
  {
    cause: "api-type-missing",
    conf: {
      "spark.kubernetes.driver.pod.featureSteps": "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
      "spark.kubernetes.scheduler.name": "volcano",
    },
  },
  {
    cause: "admission-denied",
    ...podRejection(403, 'admission webhook "images.example.com" denied the request: images come from r.io'),
  },
  {
    cause: "admission-denied",
    ...podRejection(
      422,
      "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'cost' with binding 'cost' denied request: no cost center",
    ),
  },
  {
    cause: "admission-webhook-failed",
    status: "warning",
    ...podRejection(500, 'Internal error occurred: failed calling webhook "a.example.com": connection refused'),
  },
  {
    cause: "pod-security",
    ...podRejection(
      403,
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    ),
  },
];

/** Whether a problem names no action, or names only a setting of the other role. */
function hasWrongFix({ status, fix = "", reason, key = "" }: Finding): boolean {
  if (status !== "failure" && status !== "warning") return false;
  const isOfExecutor = /\bexecutor\b/.test(reason) && !/\bdriver\b/.test(reason);
  const isOfDriver = /\bdriver\b/.test(reason) && !/\bexecutors?\b/.test(reason);
  const isMixedUp = (isOfExecutor && key.includes(".driver.")) || (isOfDriver && key.includes(".executor."));
  return !/^[A-Z].*\.$/.test(fix) || isMixedUp;
}

test.for(rows)("predicts $cause", async ({ cause, status = "failure", ...setUp }) => {
  const { known, ...row } = predictableCauses[cause];
  const findings = await doctor(setUp);
  const found = problems(findings);
  expect(findings.filter(hasWrongFix)).toEqual([]);
  expect({ known, found }).toEqual({
    known: "before",
    found: expect.arrayContaining([`${status} ${"check" in row ? row.check : ""} ${cause}`]),
  });
});

test("a row provokes each cause that is known before the submission", () => {
  const claimed = Object.entries(predictableCauses).flatMap(([cause, { known }]) => (known === "before" ? cause : []));
  expect([...new Set(rows.map(({ cause }) => cause))].sort()).toEqual(claimed);
});
