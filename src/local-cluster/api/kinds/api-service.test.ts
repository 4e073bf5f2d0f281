import { expect, test } from "vitest";
import { testApi } from "../../test-api.ts";

const path = "/apis/apiregistration.k8s.io/v1/apiservices";

const priorities = { groupPriorityMinimum: 1, versionPriority: 1 };

async function created(name: string, spec: object) {
  const body = { metadata: { name }, spec };
  return JSON.parse(await (await testApi().call("POST", path, { body })).text());
}

test("each served group is available, in kubectl's table, too", async () => {
  const { call } = testApi();
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const table = JSON.parse(await (await call("GET", path, { headers: { accept } })).text());
  const cells = table.rows.map((row: { cells: unknown[] }) => row.cells.slice(0, 3));
  expect(cells).toContainEqual(["v1.", "Local", "True"]);
  expect(cells).toContainEqual(["v1.apps", "Local", "True"]);
});

test("another server can be named, but is not available", async () => {
  const spec = { group: "metrics.k8s.io", version: "v1", service: { name: "s", namespace: "n" }, ...priorities };
  expect(await created("v1.metrics.k8s.io", spec)).toMatchObject({
    spec: { service: { port: 443 } },
    status: { conditions: [{ type: "Available", status: "False", reason: "NotSupported" }] },
  });
});

test.each<[string, object, string]>([
  [
    "v1.x.io",
    { group: "y.io", version: "v1", ...priorities },
    'metadata.name: Invalid value: "v1.x.io": must be `spec.version+"."+spec.group`: "v1.y.io"',
  ],
  [
    "v2.",
    { version: "v2", ...priorities },
    "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
  ],
  [
    "v1.x.io",
    { group: "x.io", version: "v1", groupPriorityMinimum: 20_001, versionPriority: 0 },
    "[spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000, " +
      "spec.versionPriority: Invalid value: 0: must be positive and less than 1000]",
  ],
  [
    "v1.x.io",
    { group: "x.io", version: "v1", ...priorities, caBundle: "YQ==", insecureSkipTLSVerify: true },
    '[spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle, ' +
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify]",
  ],
  [
    "v1.x.io",
    {
      ...{ group: "x.io", version: "v1", ...priorities, caBundle: "YQ==", insecureSkipTLSVerify: true },
      service: { name: "s", namespace: "n", port: 70_000 },
    },
    "[spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive, " +
      "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present]",
  ],
])("%s with %j is rejected", async (name, spec, message) => {
  expect((await created(name, spec)).message).toBe(
    `APIService.apiregistration.k8s.io "${name}" is invalid: ${message}`,
  );
});
