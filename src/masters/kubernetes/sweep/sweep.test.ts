import { expect, test } from "vitest";
import { testClock } from "../../../host/test-clock.ts";
import type { KubeResource } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { type Fault, refused, testApi } from "../../../kube-client/test-api.ts";
import { sweep } from "./sweep.ts";

const hour = 3_600_000;
const base = "/api/v1/namespaces/ns";
const policies = "/apis/networking.k8s.io/v1/namespaces/ns/networkpolicies";

const driver = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "drv", labels: { "spark-role": "driver", "spark-app-selector": "spark-1" } },
  spec: {
    volumes: [
      { name: "a", configMap: { name: "mounted" } },
      { name: "b", projected: { sources: [{ secret: { name: "projected" } }] } },
      { name: "c", persistentVolumeClaim: { claimName: "claimed" } },
    ],
    containers: [{ name: "main", env: [{ name: "E", valueFrom: { secretKeyRef: { name: "read", key: "k" } } }] }],
  },
};

function debris(kind: string, name: string, rest: object = {}, metadata: object = {}): KubeResource {
  return { apiVersion: "v1", kind, metadata: { name, ...metadata }, ...rest };
}

function sweeping(fault?: Fault) {
  const api = testApi(fault);
  const clock = testClock(Date.UTC(2026, 0, 1) + 2 * hour);
  const client = kubeClient({
    ...{ transport: api.transport, server: "https://api", clock, requestTimeoutMs: 0 },
    log: () => {},
  });
  const run = async (more: { dryRun?: boolean; olderThanMs?: number } = {}) => {
    const result = await sweep({ client, clock, namespace: "ns", olderThanMs: hour, dryRun: false, ...more });
    return {
      ...result,
      actions: result.objects.map(({ action, name, driver = "" }) => `${action} ${name} ${driver}`),
    };
  };
  return { api, run };
}

test("sweep makes the driver the owner of objects that it uses or that have its application ID", async () => {
  const { api, run } = sweeping();
  api.put(`${base}/pods/drv`, driver);
  api.put(`${base}/configmaps/mounted`, debris("ConfigMap", "mounted"));
  api.put(`${base}/secrets/projected`, debris("Secret", "projected"));
  api.put(`${base}/secrets/read`, debris("Secret", "read"));
  api.put(`${base}/persistentvolumeclaims/claimed`, debris("PersistentVolumeClaim", "claimed"));
  const application = { "spark-app-selector": "spark-1" };
  api.put(`${base}/services/s`, debris("Service", "s", { spec: { selector: application } }));
  api.put(`${policies}/p`, debris("NetworkPolicy", "p", { spec: { podSelector: { matchLabels: application } } }));
  api.put(`${base}/services/labelled`, debris("Service", "labelled", {}, { labels: application }));
  const { actions, issues } = await run();
  expect(issues).toEqual([]);
  expect(actions.sort()).toEqual(
    ["claimed", "labelled", "mounted", "p", "projected", "read", "s"].map((name) => `adopted ${name} drv`),
  );
  for (const [path, { metadata }] of api.objects) {
    if (!path.includes("/pods/")) expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(["drv"]);
  }
});

test("sweep deletes old objects without a driver, only in the listed version", async () => {
  const { api, run } = sweeping();
  api.put(`${base}/configmaps/old`, debris("ConfigMap", "old"));
  const { uid, resourceVersion } = api.objects.get(`${base}/configmaps/old`)?.metadata ?? {};
  expect((await run({ olderThanMs: 3 * hour })).actions).toEqual(["kept old "]);
  expect((await run({ dryRun: true })).actions).toEqual(["deleted old "]);
  expect(api.objects.size).toBe(1);
  expect((await run()).actions).toEqual(["deleted old "]);
  expect(api.objects.size).toBe(0);
  expect(JSON.parse(String(api.requests.find(({ method }) => method === "DELETE")?.body))).toMatchObject({
    preconditions: { uid, resourceVersion },
  });
});

test("sweep keeps objects with an owner, changed by other clients, or created by them", async () => {
  const { api, run } = sweeping();
  const firesteel = { manager: "firesteel", operation: "Apply" };
  const owner = { apiVersion: "v1", kind: "Pod", name: "drv", uid: "u" };
  const kept = (name: string, metadata: object) =>
    api.put(`${base}/configmaps/${name}`, debris("ConfigMap", name, {}, metadata));
  kept("owned", { ownerReferences: [owner] });
  kept("edited", { managedFields: [firesteel, { manager: "kubectl-edit", operation: "Update" }] });
  const created = { manager: "kubectl-create", operation: "Update" };
  kept("patched", { managedFields: [created, { manager: "firesteel", operation: "Update" }] });
  kept("foreign", { managedFields: [{ manager: "helm", operation: "Apply" }] });
  expect((await run()).objects).toEqual([]);
  const bound = [firesteel, { manager: "kube-controller-manager", operation: "Update" }];
  api.put(`${base}/persistentvolumeclaims/c`, debris("PersistentVolumeClaim", "c", {}, { managedFields: bound }));
  expect((await run()).actions).toEqual(["deleted c "]);
});

test("sweep deletes objects of a submission with a token that were not applied yet", async () => {
  const { api, run } = sweeping();
  const managedFields = [{ manager: "firesteel", operation: "Update" }];
  api.put(`${base}/configmaps/m`, debris("ConfigMap", "m", {}, { managedFields }));
  expect((await run()).actions).toEqual(["deleted m "]);
});

const groups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups";

test("sweep deletes or adopts PodGroups although Volcano has changed their status", async () => {
  const { api, run } = sweeping();
  const annotations = { "scheduling.k8s.io/group-name": "g1" };
  api.put(`${base}/pods/drv`, { ...driver, metadata: { ...driver.metadata, annotations } });
  const firesteel = { manager: "firesteel", operation: "Apply" };
  const managedFields = [firesteel, { manager: "vc-scheduler", operation: "Update" }];
  api.put(`${groups}/g1`, debris("PodGroup", "g1", {}, { managedFields }));
  api.put(`${groups}/g2`, debris("PodGroup", "g2", {}, { managedFields }));
  expect((await run()).actions).toEqual(["adopted g1 drv", "deleted g2 "]);
});

test.each([403, 404])(
  "sweep ignores PodGroups in a cluster without Volcano, which responds with %i",
  async (status) => {
    const { run } = sweeping(({ path }) => (path.startsWith(groups) ? refused(status, "no") : undefined));
    expect(await run()).toMatchObject({ objects: [], issues: [] });
  },
);

test("sweep reports an error response and continues with the other kinds", async () => {
  const { api, run } = sweeping(({ path }) => (path.startsWith(policies) ? refused(403, "no policies") : undefined));
  api.put(`${base}/persistentvolumeclaims/c`, debris("PersistentVolumeClaim", "c"));
  const { actions, issues } = await run();
  expect(actions).toEqual(["deleted c "]);
  expect(issues.map(({ code }) => code)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
});
