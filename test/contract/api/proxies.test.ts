import { beforeEach, describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";
import { unscheduledPod } from "./objects.ts";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  beforeEach(async () => {
    const service = (name: string, spec: object) => ({ apiVersion: "v1", kind: "Service", metadata: { name }, spec });
    const ports = [
      { name: "web", port: 80 },
      { name: "admin", port: 81 },
    ];
    await api.client.call("POST", `${api.base}/services`, service("s", { selector: { a: "none" }, ports }));
    await api.client.call("POST", `${api.base}/services`, service("e", { type: "ExternalName", externalName: "a.b" }));
    await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
    // The controllers create endpoints without addresses.
    await until(
      () => api.client.call("GET", `${api.base}/endpoints/s`),
      ({ status }) => status === 200,
    );
  });

  test.each([
    ["services/s/proxy", 503, 'no endpoints available for service "s"'],
    ["services/s:web/proxy/", 503, 'no endpoints available for service "s"'],
    ["services/https:s:81/proxy/x", 503, 'no endpoints available for service "s"'],
    ["services/s:82/proxy/", 503, 'no service port 82 found for service "s"'],
    ["services/ftp:s:web/proxy/", 400, 'invalid service request "ftp:s:web"'],
    ["services/a:b:c:d/proxy/", 400, 'invalid service request "a:b:c:d"'],
    ["services/none/proxy/", 404, 'services "none" not found'],
    ["services/e/proxy/", 404, 'services "e" not found'],
    ["pods/p/proxy", 400, "address not allowed"],
    ["pods/https:p:8443/proxy/", 400, "address not allowed"],
    ["pods/p:none/proxy/", 400, "address not allowed"],
    ["pods/ftp:p:80/proxy/", 400, 'invalid pod request "ftp:p:80"'],
    ["pods/none:80/proxy/", 404, 'pods "none" not found'],
  ])("%s is rejected with %i", async (path, status, message) => {
    const response = await api.client.call("GET", `${api.base}/${path}`);
    expect([response.status, response.body.message]).toEqual([status, message]);
  });
});
