import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { CauseName } from "../../src/diagnosis/causes.ts";
import { run, temporaryDirectory } from "../acceptance/programs.ts";
import { toConfArgs } from "../spark/application/transports.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const image = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
const driver = "spark.kubernetes.driver";
const executor = "spark.kubernetes.executor";

/** Node that is created in a cluster without nodes, such as an API server without kubelets. */
const node = {
  metadata: { name: "firesteel-doctor", labels: { "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" } },
  status: {
    allocatable: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "50Gi" },
    capacity: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "50Gi" },
    images: [{ names: [`docker.io/library/${image}`], sizeBytes: 1 }],
  },
};
let isNodeCreated = false;

beforeAll(async () => {
  const namespace = await realNamespace(kubeconfig);
  const { body } = await namespace.call("GET", "/api/v1/nodes?limit=1");
  isNodeCreated = body.items.length === 0;
  if (isNodeCreated) await namespace.create("/api/v1/nodes", node);
  await namespace.remove();
});

afterAll(async () => {
  if (!isNodeCreated) return;
  const namespace = await realNamespace(kubeconfig);
  await namespace.call("DELETE", `/api/v1/nodes/${node.metadata.name}`);
  await namespace.remove();
});

/** A submission, and what is wrong with its cluster. */
interface Row {
  /** Status, check and cause of the finding. */
  readonly finding: `${"failure" | "warning"} ${string} ${CauseName}`;
  readonly conf?: Readonly<Record<string, string>>;
  /** Changes the namespace before the check. */
  readonly setUp?: (namespace: RealNamespace) => Promise<void>;
}

const rows: readonly Row[] = [
  {
    finding: "failure objects service-account-missing",
    conf: { "spark.kubernetes.authenticate.driver.serviceAccountName": "gone" },
  },
  {
    finding: "failure driver-permissions driver-forbidden",
    conf: { "spark.kubernetes.authenticate.driver.serviceAccountName": "default" },
  },
  {
    finding: "failure objects secret-key-missing",
    conf: { [`${driver}.secretKeyRef.PASSWORD`]: "db:password" },
    setUp: inNamespace("secrets", { metadata: { name: "db" }, stringData: { user: "me" } }),
  },
  {
    finding: "failure quota quota-exceeded",
    setUp: inNamespace("resourcequotas", {
      metadata: { name: "small" },
      spec: { hard: { "requests.memory": "1Gi" } },
    }),
  },
  {
    finding: "failure admission limit-range",
    async setUp(namespace) {
      const limits = [{ type: "Container", max: { memory: "1Gi" } }];
      await inNamespace("limitranges", { metadata: { name: "max" }, spec: { limits } })(namespace);
      await waitForRejection(namespace, /maximum memory usage/);
    },
  },
  { finding: "failure nodes node-selector-mismatch", conf: { [`${driver}.node.selector.example.com/disk`]: "tape" } },
  { finding: "failure nodes insufficient-memory", conf: { "spark.driver.memory": "500t" } },
  {
    finding: "failure admission pod-security",
    async setUp(namespace) {
      const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
      const path = `/api/v1/namespaces/${namespace.name}`;
      await namespace.call("PATCH", path, { metadata: { labels } }, { type: "application/merge-patch+json" });
      await waitForRejection(namespace, /violates PodSecurity/);
    },
  },
  {
    finding: "failure admission admission-denied",
    async setUp(namespace) {
      await createPolicy(namespace);
      await waitForRejection(namespace, /no cost center/);
    },
  },
  {
    finding: "failure objects pvc-missing",
    conf: {
      [`${driver}.volumes.persistentVolumeClaim.data.mount.path`]: "/data",
      [`${driver}.volumes.persistentVolumeClaim.data.options.claimName`]: "gone",
    },
  },
  {
    finding: "failure objects storage-class-missing",
    conf: {
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.mount.path`]: "/data",
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.options.claimName`]: "OnDemand",
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.options.storageClass`]: "gone.example.com",
      [`${executor}.volumes.persistentVolumeClaim.spark-local-dir-1.options.sizeLimit`]: "1Gi",
    },
  },
];

test.for(rows)("predicts $finding", async ({ finding, conf = {}, setUp }) => {
  const namespace = await openNamespace();
  await setUp?.(namespace);
  const { exit, problems } = await doctor(namespace, conf);
  expect(problems).toContain(finding);
  expect(exit).toBe(1);
});

test("finds nothing wrong with a healthy submission", async () => {
  expect(await doctor(await openNamespace(), {})).toEqual({ exit: 0, problems: [] });
});

/** Opens a namespace whose account `spark` already has its permissions. Deletes it after the test. */
async function openNamespace(): Promise<RealNamespace> {
  const namespace = await realNamespace(kubeconfig);
  onTestFinished(namespace.remove);
  const group = "authorization.k8s.io/v1";
  const review = {
    ...{ apiVersion: group, kind: "LocalSubjectAccessReview", metadata: { namespace: namespace.name } },
    spec: {
      user: `system:serviceaccount:${namespace.name}:spark`,
      resourceAttributes: { namespace: namespace.name, verb: "create", resource: "pods" },
    },
  };
  const path = `/apis/${group}/namespaces/${namespace.name}/localsubjectaccessreviews`;
  await waitUntil(async () => /"allowed":true/.test((await namespace.call("POST", path, review)).text));
  return namespace;
}

function inNamespace(plural: string, object: object): (namespace: RealNamespace) => Promise<void> {
  return ({ name, create }) => create(`/api/v1/namespaces/${name}/${plural}`, object);
}

/** Creates a policy that rejects pods of the namespace. Deletes it after the test. */
async function createPolicy({ name, create, call }: RealNamespace): Promise<void> {
  const group = "/apis/admissionregistration.k8s.io/v1";
  const match = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": name } };
  onTestFinished(async () => {
    await call("DELETE", `${group}/validatingadmissionpolicybindings/${name}`);
    await call("DELETE", `${group}/validatingadmissionpolicies/${name}`);
  });
  await create(`${group}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: { namespaceSelector, resourceRules: match },
      validations: [{ expression: "'cost-center' in object.metadata.?labels.orValue({})", message: "no cost center" }],
    },
  });
  await create(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"], matchResources: { namespaceSelector } },
  });
}

/** Waits until the API rejects a pod of 2 GiB with a message: admission reads its rules from a cache. */
function waitForRejection({ name, call }: RealNamespace, message: RegExp): Promise<void> {
  const resources = { requests: { memory: "2Gi" }, limits: { memory: "2Gi" } };
  const pod = { metadata: { name: "probe" }, spec: { containers: [{ name: "c", image: "i", resources }] } };
  const path = `/api/v1/namespaces/${name}/pods?dryRun=All`;
  return waitUntil(async () => message.test((await call("POST", path, pod)).text));
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setTimeout(50);
}

interface Result {
  readonly exit: number | string;
  /** Each `status check cause`. */
  readonly problems: readonly string[];
}

interface Output {
  readonly findings: readonly { readonly status: string; readonly check: string; readonly cause: string | null }[];
}

/** Checks SparkPi. The pods tolerate all taints: a node without a kubelet has that of a node that is not ready. */
async function doctor({ name, master }: RealNamespace, conf: Readonly<Record<string, string>>): Promise<Result> {
  const template = join(temporaryDirectory(), "template.yml");
  writeFileSync(template, "spec: {tolerations: [{operator: Exists}]}\n");
  const settings = {
    "spark.kubernetes.namespace": name,
    "spark.kubernetes.container.image": image,
    "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
    [`${driver}.podTemplateFile`]: template,
    [`${executor}.podTemplateFile`]: template,
    [`${driver}.request.cores`]: "100m",
    [`${executor}.request.cores`]: "100m",
    "spark.executor.instances": "1",
    ...conf,
  };
  const cluster = ["--master", master, "--deploy-mode", "cluster", "--class", "org.apache.spark.examples.SparkPi"];
  const jar = "local:///opt/spark/examples/jars/spark-examples.jar";
  const outcome = await run("firesteel", ["doctor", "--json", ...cluster, ...toConfArgs(settings), jar], {
    env: { KUBECONFIG: kubeconfig },
  });
  const { findings }: Output = JSON.parse(outcome.stdout);
  const problems = findings.filter(({ status }) => status === "failure" || status === "warning");
  return { exit: outcome.exit, problems: problems.map(({ status, check, cause }) => `${status} ${check} ${cause}`) };
}
