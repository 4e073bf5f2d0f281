import { expect, test } from "vitest";
import { ownedBy } from "../../kube/owner-reference.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import { refused } from "../../kube-client/test-api.ts";
import { driverPod, driverTarget, testClient } from "../../kube-client/test-client.ts";
import { createOnce } from "../../masters/kubernetes/submission-token/create-once.ts";
import { createOwned } from "./create-owned.ts";

const { service, configMap } = resourceTypes;
const namespace = "ns";
const serviceObject: KubeResource = { apiVersion: "v1", kind: "Service", metadata: { name: "svc" } };
const mounted: KubeResource = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf" } };

test("creates a Service once, with its owner, and after the pod", async () => {
  const { api, client } = testClient();
  const owned = createOwned(client);
  await owned.create({ type: service, namespace, object: serviceObject });
  const pod = await owned.create({ ...driverTarget, object: driverPod });
  await owned.apply({ type: service, namespace, object: ownedBy(serviceObject, pod) });
  expect(api.requestLines).toEqual(["POST /api/v1/namespaces/ns/pods", "POST /api/v1/namespaces/ns/services"]);
  const { ownerReferences } = api.objects.get("/api/v1/namespaces/ns/services/svc")?.metadata ?? {};
  expect(ownerReferences).toMatchObject([{ kind: "Pod", name: "drv", uid: pod.metadata?.uid }]);
});

test("creates a ConfigMap before its owner exists, and then patches only the owner", async () => {
  const { api, client } = testClient();
  const owned = createOwned(client);
  await owned.create({ type: configMap, namespace, object: mounted });
  await owned.apply({ type: configMap, namespace, object: ownedBy(mounted, driverPod) });
  expect(api.requestLines).toEqual([
    "POST /api/v1/namespaces/ns/configmaps",
    "PATCH /api/v1/namespaces/ns/configmaps/conf",
  ]);
  expect(JSON.parse(String(api.requests.at(-1)?.body))).toEqual({
    metadata: { ownerReferences: ownedBy(mounted, driverPod).metadata.ownerReferences },
  });
});

test("gives objects that another attempt has created their owner, and changes nothing else", async () => {
  const { api, client } = testClient();
  for (const [path, object] of [
    ["/api/v1/namespaces/ns/services/svc", serviceObject],
    ["/api/v1/namespaces/ns/configmaps/conf", { ...mounted, data: { earlier: "yes" } }],
  ] as const)
    api.put(path, object);
  const owned = createOwned(client);
  await owned.apply({ type: service, namespace, object: ownedBy(serviceObject, driverPod) });
  await owned.apply({ type: configMap, namespace, object: ownedBy({ ...mounted, data: {} }, driverPod) });
  expect(api.requestLines).toEqual([
    "POST /api/v1/namespaces/ns/services",
    "PATCH /api/v1/namespaces/ns/services/svc",
    "PATCH /api/v1/namespaces/ns/configmaps/conf",
  ]);
  expect(api.objects.get("/api/v1/namespaces/ns/configmaps/conf")).toMatchObject({ data: { earlier: "yes" } });
});

test("creates a ConfigMap again that was deleted meanwhile", async () => {
  const { api, client } = testClient(({ method }) => (method === "PATCH" ? refused(404, "not found") : undefined));
  const { created } = await createOwned(client).apply({
    ...{ type: configMap, namespace },
    object: ownedBy(mounted, driverPod),
  });
  expect([created, api.objects.has("/api/v1/namespaces/ns/configmaps/conf")]).toEqual([true, true]);
});

test("a Service that exists gets its owner although the quota is exhausted", async () => {
  const message = "exceeded quota: small, requested: services=1, used: services=1, limited: services=1";
  const { api, client } = testClient(({ method }) =>
    method === "POST" ? refused(403, `services "svc" is forbidden: ${message}`) : undefined,
  );
  const call = { type: service, namespace, object: ownedBy(serviceObject, driverPod) };
  await expect(createOwned(client).apply(call)).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_QUOTA" });
  api.put("/api/v1/namespaces/ns/services/svc", serviceObject);
  expect(await createOwned(client).apply(call)).toMatchObject({ created: false });
});

test("an object that was left to the last step is not asked for when the pod is rejected", async () => {
  const { api, client } = testClient(({ method, path }) =>
    method === "POST" && path.includes("/pods") ? refused(403, "no pods") : undefined,
  );
  const manifests = { namespace, pod: driverPod, preResources: [], resources: [serviceObject] };
  const attempt = {
    client: createOwned(client),
    manifests,
    log: () => {},
    isOwnPod: () => false,
    isOwnResource: () => false,
  };
  await expect(createOnce(attempt)).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
  expect(api.requestLines).toEqual(["POST /api/v1/namespaces/ns/pods"]);
});
