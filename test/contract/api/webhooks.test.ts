import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { configMap, mergePatch, unscheduledPod } from "./objects.ts";
import { patching, withWebhook } from "./webhook-server.ts";

const denying = (status: object) => () => ({ allowed: false, status });

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const path = () => `${api.base}/configmaps`;

  describe("admits by webhooks", () => {
    test("a new object, which a mutating webhook changes", async () => {
      const respond = () => patching({ op: "add", path: "/data/added", value: "x" });
      await withWebhook(api, { type: "mutating", respond }, async ({ requests }) => {
        const { status, body } = await api.client.call("POST", path(), configMap("c"));
        expect([status, body.data]).toEqual([201, { k: "v", added: "x" }]);
        expect(requests).toMatchObject([
          {
            ...{ operation: "CREATE", name: "c", namespace: api.namespace, dryRun: false, oldObject: null },
            kind: { group: "", version: "v1", kind: "ConfigMap" },
            resource: { group: "", version: "v1", resource: "configmaps" },
            requestKind: { group: "", version: "v1", kind: "ConfigMap" },
            requestResource: { group: "", version: "v1", resource: "configmaps" },
            object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: api.namespace } },
            options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
          },
        ]);
      });
    });

    test("a patch and a deletion, with the old object", async () => {
      await api.client.call("POST", path(), configMap("c"));
      const respond = () => ({ allowed: true, warnings: ["be careful"] });
      await withWebhook(api, { type: "validating", respond }, async ({ requests }) => {
        const patched = await api.client.call("PATCH", `${path()}/c`, { data: { k: "w" } }, mergePatch);
        expect([patched.status, patched.headers["warning"]]).toEqual([200, '299 - "be careful"']);
        expect((await api.client.call("DELETE", `${path()}/c`)).status).toBe(200);
        expect(requests).toMatchObject([
          {
            ...{ operation: "UPDATE", name: "c", options: { kind: "UpdateOptions" } },
            ...{ object: { data: { k: "w" } }, oldObject: { data: { k: "v" } } },
          },
          { operation: "DELETE", name: "c", object: null, oldObject: { data: { k: "w" } } },
        ]);
      });
    });

    test("nothing that a webhook denies", async () => {
      const respond = denying({ message: "no maps", code: 403, reason: "Forbidden" });
      await withWebhook(api, { type: "validating", respond }, async () => {
        const { status, body } = await api.client.call("POST", path(), configMap("c"));
        expect([status, body.reason, body.message]).toEqual([
          ...[403, "Forbidden"],
          'admission webhook "admit.example.com" denied the request: no maps',
        ]);
      });
      expect((await api.client.call("GET", `${path()}/c`)).status).toBe(404);
    });

    test("a command in a pod", async () => {
      await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
      const everything = {
        operations: ["*"],
        apiGroups: [""],
        apiVersions: ["v1"],
        resources: ["configmaps", "pods/exec"],
      };
      const options = { type: "validating", respond: denying({}), fields: { rules: [everything] } } as const;
      await withWebhook(api, options, async ({ requests }) => {
        const command = `${api.base}/pods/p/exec?command=ls&stdout=true`;
        const { status, body } = await api.client.call("POST", command);
        expect([status, body.message]).toEqual([
          400,
          'admission webhook "admit.example.com" denied the request without explanation',
        ]);
        expect(requests).toMatchObject([
          { operation: "CONNECT", subResource: "exec", object: { kind: "PodExecOptions", command: ["ls"] } },
        ]);
      });
    });

    test("nothing if a webhook that must not fail does not respond as it should", async () => {
      const respond = () => ({ allowed: true, uid: "other" });
      await withWebhook(api, { type: "validating", respond }, async () => {
        const { status, body } = await api.client.call("POST", path(), configMap("c"));
        expect([status, body.message]).toEqual([
          500,
          expect.stringMatching(
            /^Internal error occurred: failed calling webhook "admit\.example\.com": received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "other"$/,
          ),
        ]);
      });
    });

    test("everything if the failures of a webhook are ignored", async () => {
      const fields = { failurePolicy: "Ignore" };
      const respond = () => ({ allowed: false, uid: "other" });
      await withWebhook(api, { type: "validating", respond, fields }, async ({ requests }) => {
        expect((await api.client.call("POST", path(), configMap("c"))).status).toBe(201);
        expect(requests.length).toBe(1);
      });
    });
  });

  describe("validates webhooks", () => {
    test("and rejects incomplete ones", async () => {
      const body = {
        ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" },
        ...{ metadata: { name: `${api.namespace}-invalid` }, webhooks: [{ name: "a.b", clientConfig: {} }] },
      };
      const created = await api.client.call(
        ...(["POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", body] as const),
      );
      expect(created.status).toBe(422);
      expect(created.body.details.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual([
        'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
        "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
        "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
        "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
      ]);
    });
  });
});
