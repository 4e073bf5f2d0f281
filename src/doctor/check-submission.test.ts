import { expect, test } from "vitest";
import type { TestApi } from "../local-cluster/test-api.ts";
import { doctor, problems } from "./test-doctor.ts";

test("finds nothing wrong with a healthy submission", { tags: "long" }, async () => {
  const findings = await doctor({});
  expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
});

test("an image is not checked if its registry does not respond", async () => {
  const conf = { "spark.kubernetes.container.image": "r.io/spark:1" };
  const findings = await doctor({ conf, registry: { status: 503 } });
  expect(problems(findings)).toEqual([]);
  expect(findings).toContainEqual({
    ...{ check: "image", status: "skipped", fix: undefined },
    reason: "Whether the image r.io/spark:1 exists was not checked. r.io responded with status 503",
  });
});

test("the embedded cluster has loaded images and those that it makes, and pulls none", async () => {
  const status = {
    ...{ allocatable: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "50Gi" } },
    images: [{ names: ["r.io/team/app:1"], sizeBytes: 1 }],
    nodeInfo: { architecture: "amd64", operatingSystem: "linux", containerRuntimeVersion: "firesteel://1" },
  };
  const imageFinding = async (image: string, more: Readonly<Record<string, string>> = {}) => {
    const conf = { "spark.kubernetes.container.image": image, ...more };
    return (await doctor({ conf, node: { status } })).find(({ check }) => check === "image");
  };
  expect(await imageFinding("nosuch:1")).toEqual({
    ...{ check: "image", status: "failure", cause: "image-not-found", key: "spark.kubernetes.container.image" },
    reason: "The embedded cluster has no image nosuch:1, and pulls none.",
    fix: "Correct the name, or load the image: firesteel cluster image load FILE.",
  });
  const always = { "spark.kubernetes.container.image.pullPolicy": "Always" };
  expect(await imageFinding("r.io/team/app:1", always)).toMatchObject({ status: "ok" });
  expect(await imageFinding("r.io/team/my-spark:4.3.0")).toMatchObject({ status: "ok" });
});

test("an image that a node has by its digest is not looked up", async () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const conf = { "spark.kubernetes.container.image": `r.io/spark@${digest}` };
  const status = {
    ...{ allocatable: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "50Gi" } },
    images: [{ names: [`r.io/spark@${digest}`], sizeBytes: 1 }],
  };
  expect(problems(await doctor({ conf, node: { status } }))).toEqual([]);
});

test("a node that a service adds is waited for", async () => {
  const node = { metadata: { name: "one", labels: { "karpenter.sh/nodepool": "a" } } };
  const conf = { "spark.driver.memory": "100g" };
  const findings = await doctor({ conf, node });
  expect(problems(findings)).toEqual(["warning nodes insufficient-memory"]);
});

test("executors get the capacity that the driver leaves on the only node", { tags: "long" }, async () => {
  const conf = { "spark.driver.cores": "3", "spark.executor.cores": "2" };
  const findings = await doctor({ conf });
  expect(findings.find(({ check }) => check === "nodes")).toMatchObject({
    status: "warning",
    reason:
      "No node can take the executor now: 1 with too little free cpu. It waits until the pods of the cluster change.",
  });
  const setUp = ({ put }: TestApi) =>
    put("nodes", {
      ...{ apiVersion: "v1", kind: "Node", metadata: { name: "two" }, spec: {} },
      status: { allocatable: { cpu: "2", memory: "8Gi", pods: "110" } },
    });
  expect(problems(await doctor({ conf, setUp }))).toEqual([]);
});

test("pods of lower priority give way", { tags: "long" }, async () => {
  const priority = { priority: 1000, preemptionPolicy: "PreemptLowerPriority" };
  const spec = { nodeName: "one", containers: [{ name: "c", resources: { requests: { cpu: "4" } } }] };
  const setUp = (fields: object) => (cluster: TestApi) => {
    const metadata = { name: "high" };
    const group = "scheduling.k8s.io";
    const object = { apiVersion: `${group}/v1`, kind: "PriorityClass", metadata, value: 1000 };
    cluster.put(`priorityclasses.${group}`, object);
    cluster.put("pods", {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "other", namespace: "default" } },
      ...{ spec: { ...spec, ...fields }, status: { phase: "Running" } },
    });
  };
  const template = "spec: {priorityClassName: high}";
  const conf = {
    "spark.kubernetes.driver.podTemplateFile": "/t.yml",
    "spark.kubernetes.executor.podTemplateFile": "/t.yml",
  };
  const call = { conf, files: { "/t.yml": template } };
  expect(problems(await doctor({ ...call, setUp: setUp({}) }))).toEqual([]);
  expect(problems(await doctor({ ...call, setUp: setUp(priority) }))).toEqual([
    "warning nodes insufficient-cpu",
    "warning nodes executor-unschedulable",
  ]);
});

test("free capacity is not checked in a cluster that adds nodes", async () => {
  const node = { metadata: { name: "one", labels: { "karpenter.sh/nodepool": "a" } } };
  expect(problems(await doctor({ conf: { "spark.driver.cores": "3", "spark.executor.cores": "2" }, node }))).toEqual(
    [],
  );
});

test("free capacity is not checked if the account may not list the pods of all namespaces", async () => {
  const group = "rbac.authorization.k8s.io";
  const findings = await doctor({
    account: "default",
    setUp({ put }) {
      const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }];
      const metadata = { name: "nodes" };
      put(`clusterroles.${group}`, { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata, rules });
      put(`clusterrolebindings.${group}`, {
        ...{ apiVersion: `${group}/v1`, kind: "ClusterRoleBinding", metadata },
        roleRef: { apiGroup: group, kind: "ClusterRole", name: "nodes" },
        subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
      });
    },
  });
  expect(findings.find(({ check }) => check === "nodes")).toMatchObject({
    status: "ok",
    reason: expect.stringMatching(
      /^There is a node for the driver and for the executor\. Whether it can take them now was not checked: pods is forbidden/,
    ),
  });
});

test("a quota that is exceeded already has room for no executor", { tags: "long" }, async () => {
  const quota = {
    ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "team", namespace: "default" } },
    spec: { hard: { "limits.cpu": "1" } },
    status: { hard: { "limits.cpu": "1" }, used: { "limits.cpu": "5" } },
  };
  const conf = { "spark.kubernetes.executor.limit.cores": "1" };
  const findings = await doctor({ conf, setUp: ({ put }) => put("resourcequotas", quota) });
  expect(findings.find(({ check }) => check === "quota")).toMatchObject({
    status: "failure",
    reason: expect.stringContaining("0 of 2 executors (1 each) have room"),
  });
});

test("counts the executors that a quota has room for", async () => {
  const quota = {
    ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "team", namespace: "default" } },
    spec: { hard: { "requests.memory": "4Gi" } },
    status: { hard: { "requests.memory": "4Gi" }, used: { "requests.memory": "0" } },
  };
  const findings = await doctor({
    conf: { "spark.executor.instances": "3" },
    setUp: ({ put }) => put("resourcequotas", quota),
  });
  expect(findings.find(({ check }) => check === "quota")).toMatchObject({
    status: "warning",
    reason:
      "The quota team limits requests.memory to 4Gi, none of which is used: " +
      "beside the driver (1408Mi), 1 of 3 executors (1408Mi each) have room.",
  });
});

test("names the setting of an executor's claim, and the pod template for objects of it", async () => {
  const claim = "spark.kubernetes.executor.volumes.persistentVolumeClaim.spark-local-dir-1";
  const options = {
    [`${claim}.mount.path`]: "/d",
    [`${claim}.options.claimName`]: "OnDemand",
    [`${claim}.options.storageClass`]: "gone",
    [`${claim}.options.sizeLimit`]: "1Gi",
  };
  const keyFor = async (conf: Readonly<Record<string, string>>, files = {}) =>
    (await doctor({ conf, files })).find(({ check, status }) => check === "objects" && status === "failure")?.key;
  expect(await keyFor(options)).toBe(`${claim}.options.storageClass`);
  expect(await keyFor({ "spark.kubernetes.executor.secrets.gone": "/s" })).toBe(
    "spark.kubernetes.executor.secrets.gone",
  );
  const template = "spark.kubernetes.executor.podTemplateFile";
  expect(await keyFor({ [template]: "/t.yml" }, { "/t.yml": "spec: {priorityClassName: gone}" })).toBe(template);
});

test("a missing file does not hide the problems of the cluster", async () => {
  const conf = { "spark.kubernetes.namespace": "gone", "spark.jars": "/none.jar" };
  const findings = await doctor({ conf });
  expect(problems(findings)).toEqual([
    "failure arguments setting-invalid",
    "failure namespace namespace-missing",
    "failure driver-permissions driver-forbidden",
    "warning driver-permissions driver-forbidden",
    "failure objects service-account-missing",
    "failure objects executor-account-missing",
  ]);
  expect(findings.filter(({ status }) => status === "skipped").map(({ check }) => check)).toEqual([
    ...["staging", "quota", "nodes", "user", "admission"],
  ]);
  const image = { "spark.kubernetes.container.image": "r.io/none:1", "spark.jars": "/none.jar" };
  expect(problems(await doctor({ conf: image }))).toEqual([
    "failure arguments setting-invalid",
    "failure image image-not-found",
  ]);
});

test("a ConfigMap that is too large is named", async () => {
  const [finding] = (await doctor({ conf: { "spark.large": "x".repeat(1_200_000) } })).filter(
    ({ cause }) => cause === "config-map-too-large",
  );
  expect(finding?.reason).toMatch(/The ConfigMap spark-drv-\w+-conf-map is larger than 1048576 bytes\.$/);
});
