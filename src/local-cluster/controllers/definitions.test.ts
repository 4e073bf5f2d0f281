import { expect, test } from "vitest";
import { widget, widgetApi, widgetsPath } from "../api/custom/test-definitions.ts";
import { sendRequest } from "../api/test-requests.ts";

const collection = "widgets.example.com";

test("deletes custom resources with their namespace", async () => {
  const api = await widgetApi();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
  await sendRequest(api, "POST", { path: "/api/v1/namespaces", body: namespace });
  const path = widgetsPath.replace("/default/", "/n/");
  expect((await sendRequest(api, "POST", { path, body: widget() })).status).toBe(201);
  await sendRequest(api, "DELETE", { path: "/api/v1/namespaces/n" });
  await api.host.advance(5_000);
  expect(api.scope.store.list(collection)).toEqual([]);
  expect((await sendRequest(api, "GET", { path: "/api/v1/namespaces/n" })).status).toBe(404);
});

test("deletes what a custom resource owns, and custom resources that others own", async () => {
  const api = await widgetApi();
  const owner = (await sendRequest(api, "POST", { path: widgetsPath, body: widget() })).body;
  const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: "w", uid: owner.metadata.uid };
  const metadata = { name: "c", namespace: "default", ownerReferences: [reference] };
  const { metadata: own } = api.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
  const child = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: own.uid };
  await sendRequest(api, "POST", { path: widgetsPath, body: widget({}, { name: "child", ownerReferences: [child] }) });
  await sendRequest(api, "DELETE", { path: `${widgetsPath}/w` });
  await api.host.advance(5_000);
  expect([api.scope.store.get("configmaps", "default", "c"), api.scope.store.list(collection)]).toEqual([
    undefined,
    [],
  ]);
});

test("counts custom resources in quotas", async () => {
  const api = await widgetApi();
  const hard = { "count/widgets.example.com": "1" };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard } };
  await sendRequest(api, "POST", { path: "/api/v1/namespaces/default/resourcequotas", body: quota });
  await api.host.advance(1);
  expect((await sendRequest(api, "POST", { path: widgetsPath, body: widget() })).status).toBe(201);
  const { status, body } = await sendRequest(api, "POST", { path: widgetsPath, body: widget({}, { name: "x" }) });
  expect({ status, message: body.message }).toEqual({
    status: 403,
    message:
      'widgets.example.com "x" is forbidden: exceeded quota: q, requested: count/widgets.example.com=1, used: ' +
      "count/widgets.example.com=1, limited: count/widgets.example.com=1",
  });
  await sendRequest(api, "DELETE", { path: `${widgetsPath}/w` });
  await api.host.advance(1);
  expect((await sendRequest(api, "POST", { path: widgetsPath, body: widget() })).status).toBe(201);
});
