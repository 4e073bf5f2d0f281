import { afterEach, describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";
import { mergePatch } from "./objects.ts";
import { startReviewServer } from "./review-server.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Gadget {
  readonly apiVersion: string;
  readonly spec: { readonly hostPort?: string; readonly host?: string; readonly port?: string };
  readonly [field: string]: unknown;
}

/** In version v1, a gadget has `spec.hostPort`, e.g. `a:80`; in version v2, it has `spec.host` and `spec.port`. */
function convert(gadget: Gadget, apiVersion: string): Gadget {
  const { hostPort = "", host, port } = gadget.spec;
  if (apiVersion.endsWith("/v1")) return { ...gadget, apiVersion, spec: { hostPort: `${host}:${port}` } };
  const [first = "", second = ""] = hostPort.split(":");
  return { ...gadget, apiVersion, spec: { host: first, port: second } };
}

/** Responds to a ConversionReview; the webhook does not convert an object without a port. */
function review(request: Readonly<Record<string, unknown>>) {
  const objects: Gadget[] = Array.isArray(request["objects"]) ? request["objects"] : [];
  const apiVersion = String(request["desiredAPIVersion"]);
  const isFailing = objects.some(({ spec }) => spec.hostPort?.includes(":") === false);
  const response = isFailing
    ? { result: { status: "Failure", message: "a gadget has no port" } }
    : { result: { status: "Success" }, convertedObjects: objects.map((gadget) => convert(gadget, apiVersion)) };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response };
}

const text = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const version = (name: string, fields: readonly string[], storage: boolean) => ({
  ...{ name, served: true, storage },
  schema: { openAPIV3Schema: { type: "object", properties: { spec: text(...fields) } } },
});

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  /** Defines gadgets, which are stored in version v2, and waits until the webhook converts one. */
  async function define() {
    const server = await startReviewServer(review);
    const { url, caBundle } = server;
    const group = `${api.namespace}.example.com`;
    const name = `gadgets.${group}`;
    cleanUps.push(() => api.client.call("DELETE", `${definitions}/${name}`), server.close);
    const webhook = { clientConfig: { url, caBundle }, conversionReviewVersions: ["v1"] };
    const created = await api.client.call("POST", definitions, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name } },
      spec: {
        ...{ group, scope: "Namespaced", names: { plural: "gadgets", kind: "Gadget" } },
        conversion: { strategy: "Webhook", webhook },
        versions: [version("v1", ["hostPort"], false), version("v2", ["host", "port"], true)],
      },
    });
    expect(created.status).toBe(201);
    const path = (served: string) => `/apis/${group}/${served}/namespaces/${api.namespace}/gadgets`;
    const gadget = (served: string, own: string, spec: object) => ({
      ...{ apiVersion: `${group}/${served}`, kind: "Gadget", metadata: { name: own }, spec },
    });
    await until(
      () => api.client.call("POST", `${path("v1")}?dryRun=All`, gadget("v1", "probe", { hostPort: "a:1" })),
      ({ status }) => status === 201,
    );
    return { group, path, gadget };
  }

  describe("has objects converted by the webhook of their definition", () => {
    test("when they are created, read and listed in different versions", async () => {
      const { path, gadget } = await define();
      const created = await api.client.call("POST", path("v1"), gadget("v1", "a", { hostPort: "a:80" }));
      expect([created.status, created.body.spec]).toEqual([201, { hostPort: "a:80" }]);
      await api.client.call("POST", path("v2"), gadget("v2", "b", { host: "b", port: "81" }));
      const specs = async (served: string) => {
        const { body } = await api.client.call("GET", path(served));
        return body.items.map(({ spec }) => spec);
      };
      expect(await specs("v1")).toEqual([{ hostPort: "a:80" }, { hostPort: "b:81" }]);
      expect(await specs("v2")).toEqual([
        { host: "a", port: "80" },
        { host: "b", port: "81" },
      ]);
      const one = await api.client.call("GET", `${path("v2")}/a`);
      expect(one.body).toMatchObject({ metadata: { uid: created.body.metadata.uid }, spec: { host: "a" } });
    });

    test("when they are changed and deleted in another version", async () => {
      const { path, gadget } = await define();
      await api.client.call("POST", path("v2"), gadget("v2", "a", { host: "a", port: "80" }));
      const change = { spec: { hostPort: "c:82" }, metadata: { finalizers: [`${api.namespace}.example.com/f`] } };
      const patched = await api.client.call("PATCH", `${path("v1")}/a`, change, mergePatch);
      expect([patched.status, patched.body.spec]).toEqual([200, { hostPort: "c:82" }]);
      expect((await api.client.call("DELETE", `${path("v1")}/a`)).status).toBe(200);
      const marked = await api.client.call("GET", `${path("v2")}/a`);
      expect(marked.body).toMatchObject({
        ...{ spec: { host: "c", port: "82" }, metadata: { deletionTimestamp: expect.any(String) } },
      });
      const released = { metadata: { finalizers: null } };
      expect((await api.client.call("PATCH", `${path("v1")}/a`, released, mergePatch)).status).toBe(200);
      expect((await api.client.call("GET", `${path("v1")}/a`)).status).toBe(404);
    });

    test("and rejects a request with the message of the webhook", async () => {
      const { path, gadget, group } = await define();
      const { status, body } = await api.client.call("POST", path("v1"), gadget("v1", "a", { hostPort: "a" }));
      expect([status, body.reason, body.message]).toEqual([
        ...[500, undefined],
        `conversion webhook for ${group}/v1, Kind=Gadget failed: a gadget has no port`,
      ]);
      expect((await api.client.call("GET", `${path("v2")}/a`)).status).toBe(404);
    });
  });
});
