import { expect, test } from "vitest";
import type { KubeResource } from "../kube/types.ts";
import type { TestApi } from "../local-cluster/test-api.ts";
import { namespaceObjects } from "../setup/namespace-objects.ts";
import { parseSetup } from "../setup/parse-setup.ts";
import { features, type Permission } from "../setup/permissions.ts";
import { isFields } from "../values/fields.ts";
import type { Finding } from "./finding.ts";
import { doctor, problems } from "./test-doctor.ts";

const values = (option: string) => (option === "--allow" ? ["doctor"] : []);
const setup = namespaceObjects(parseSetup({ namespace: "default", values, isIsolated: false }));
/** Without the namespace and the driver's account, which the test cluster has. */
const objects = setup.filter(({ kind, metadata }) => kind !== "Namespace" && metadata.name !== "spark");

/** Stores an object in its collection. */
function store({ put }: TestApi, object: KubeResource): void {
  const [, group = ""] = /^(.*)\/v\d/.exec(object.apiVersion ?? "") ?? [];
  const plural = `${String(object.kind).toLowerCase()}${object.kind?.endsWith("Class") === true ? "es" : "s"}`;
  put(group === "" ? plural : `${plural}.${group}`, structuredClone({ ...object }));
}

/** Returns a role or binding without one verb. */
function withoutVerb(object: KubeResource, { group, resource, verb }: Omit<Permission, "verbs"> & { verb: string }) {
  const rules = Array.isArray(object["rules"]) ? object["rules"].filter(isFields) : undefined;
  if (rules === undefined) return object;
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const changed = rules.flatMap(({ apiGroups, resources, verbs }) =>
    list(resources).map((name) => {
      const isMeant = name === resource && list(apiGroups).includes(group);
      return { apiGroups, resources: [name], verbs: list(verbs).filter((one) => !isMeant || one !== verb) };
    }),
  );
  return { ...object, rules: changed };
}

const template = {
  ...{ priorityClassName: "high", runtimeClassName: "gvisor", nodeName: "one" },
  resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }],
};

const claims = "spark.kubernetes.executor.volumes.persistentVolumeClaim.spark-local-dir-1";
const data = "spark.kubernetes.driver.volumes.persistentVolumeClaim.data";

const shuffleServiceLabels = {
  "app.kubernetes.io/name": "firesteel",
  "app.kubernetes.io/component": "shuffle-service",
};

/** Objects that the submission names, and the service that its executors use. */
const named: readonly KubeResource[] = [
  { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "high" }, value: 1000 },
  { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "gvisor" }, handler: "runsc" },
  {
    ...{ apiVersion: "apps/v1", kind: "DaemonSet" },
    metadata: { name: "shuffle", namespace: "default", labels: shuffleServiceLabels },
    spec: { template: { spec: { containers: [{ name: "s", ports: [{ name: "shuffle", containerPort: 7337 }] }] } } },
    status: { numberReady: 1, desiredNumberScheduled: 1 },
  },
  { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "fast" }, provisioner: "p" },
  { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: { name: "gpu", namespace: "default" } },
  {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "some", namespace: "default" } },
    ...{ spec: { volumeName: "volume" }, status: { phase: "Bound" } },
  },
  {
    ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "volume" } },
    spec: {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "In", values: ["tape"] }] }],
        },
      },
    },
  },
];

/** Checks a submission that names all kinds of objects, as the submitter of a set-up. */
function check(roles: readonly KubeResource[], more: object = template): Promise<readonly Finding[]> {
  return doctor({
    account: "spark-submitter",
    conf: {
      "spark.kubernetes.driver.podTemplateFile": "/t.json",
      "spark.shuffle.service.enabled": "true",
      ...{ [`${data}.mount.path`]: "/d", [`${data}.options.claimName`]: "some" },
      ...{ [`${claims}.mount.path`]: "/s", [`${claims}.options.claimName`]: "OnDemand" },
      ...{ [`${claims}.options.storageClass`]: "fast", [`${claims}.options.sizeLimit`]: "1Gi" },
    },
    files: { "/t.json": JSON.stringify({ spec: more }) },
    setUp: (cluster) => {
      for (const object of [...named, ...roles]) store(cluster, object);
    },
  });
}

test("--allow doctor is sufficient: no check is skipped", async () => {
  expect((await check(objects)).filter(({ status }) => status === "skipped")).toEqual([]);
  expect(problems(await check(objects, {}))).toEqual([
    // The plain setting.
    "warning settings none",
    "warning dynamic-allocation none",
    "failure nodes node-selector-mismatch",
  ]);
});

const { submitter = [], cluster } = features.doctor;
const granted = [...submitter, ...(cluster?.permissions ?? [])].flatMap(({ group, resource, verbs }) =>
  verbs.map((verb) => ({ group, resource, verb })),
);

test.for(granted)(
  "--allow doctor is minimal: without $verb $resource, a check reports less",
  { tags: "long" },
  async (permission) => {
    const roles = objects.map((object) => withoutVerb(object, permission));
    const reports = async (all: readonly KubeResource[]) => [await check(all), await check(all, {})];
    const shown = (findings: readonly (readonly Finding[])[]) =>
      findings.map((list) => list.map(({ check: name, status, cause }) => [name, status, cause]));
    expect(shown(await reports(roles))).not.toEqual(shown(await reports(objects)));
  },
);

test.each([
  [[], "pvc:bundles", true],
  [["archive"], "pvc:bundles", false],
  [[], "s3a://bucket/bundles", false],
])("with --allow %j, an archive in %s lacks pods/exec: %s", async (allowed, archive, isMissing) => {
  const own = namespaceObjects(
    parseSetup({
      namespace: "default",
      values: (option: string) => (option === "--allow" ? ["doctor", ...allowed] : []),
      isIsolated: false,
    }),
  ).filter(({ kind, metadata }) => kind !== "Namespace" && metadata.name !== "spark");
  const findings = await doctor({
    account: "spark-submitter",
    conf: { "spark.firesteel.archive": archive },
    setUp: (cluster) => {
      for (const object of own) store(cluster, object);
    },
  });
  expect(JSON.stringify(findings).includes("pods/exec")).toBe(isMissing);
});
