import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { configMap, unscheduledPod } from "./objects.ts";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  describe("creates", () => {
    test("an object with uid, revision, time and namespace", async () => {
      const { status, body } = await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
      expect(status).toBe(201);
      expect(body.metadata).toMatchObject({ name: "c", namespace: api.namespace });
      expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
      expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });

    test("a pod with the defaults that Spark and kubectl rely on", async () => {
      const { body } = await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
      expect(body.spec).toMatchObject({
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        serviceAccountName: "default",
        containers: [
          { imagePullPolicy: "IfNotPresent", resources: {}, terminationMessagePath: "/dev/termination-log" },
        ],
      });
      expect(body.status).toMatchObject({ phase: "Pending", qosClass: "BestEffort" });
    });

    test("no object twice", async () => {
      await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
      const { status, body } = await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
      expect([status, body.reason, body.message]).toEqual([409, "AlreadyExists", 'pods "p" already exists']);
    });

    test("fifty names from one prefix", async () => {
      const create = () => api.client.call("POST", `${api.base}/configmaps`, configMap("", { generateName: "c-" }));
      const names = await Promise.all(Array.from({ length: 50 }, async () => (await create()).body.metadata.name));
      expect(new Set(names).size).toBe(50);
      expect(names.every((name = "") => /^c-[a-z0-9]{5}$/.test(name))).toBe(true);
    });

    test("nothing on a dry run", async () => {
      expect((await api.client.call("POST", `${api.base}/configmaps?dryRun=All`, configMap("c"))).status).toBe(201);
      expect((await api.client.call("GET", `${api.base}/configmaps/c`)).status).toBe(404);
    });

    test("a service with an address, and a headless one without", async () => {
      const service = (name: string, spec: object) => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name },
        spec,
      });
      const plain = await api.client.call("POST", `${api.base}/services`, service("s", { ports: [{ port: 80 }] }));
      const headless = await api.client.call(
        "POST",
        `${api.base}/services`,
        service("h", { clusterIP: "None", ports: [{ port: 80 }] }),
      );
      expect(plain.body.spec["clusterIP"]).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(plain.body.spec["ports"]).toEqual([{ port: 80, targetPort: 80, protocol: "TCP" }]);
      expect(headless.body.spec["clusterIP"]).toBe("None");
    });
  });

  describe("rejects", () => {
    test("invalid names and namespaces", async () => {
      const badName = await api.client.call("POST", `${api.base}/configmaps`, configMap("Upper"));
      expect([badName.status, badName.body.reason]).toEqual([422, "Invalid"]);
      expect(badName.body.details.causes?.[0]?.field).toBe("metadata.name");
      const nowhere = await api.client.call("POST", "/api/v1/namespaces/nowhere/configmaps", configMap("c"));
      expect([nowhere.status, nowhere.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
      const elsewhere = await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { namespace: "other" }));
      expect(elsewhere.status).toBe(400);
    });

    test("an invalid pod with all its errors", async () => {
      const containers = [
        { name: "A", image: "" },
        { name: "b", image: "x", volumeMounts: [{ name: "v", mountPath: "/v" }] },
      ];
      const { status, body } = await api.client.call(
        "POST",
        `${api.base}/pods`,
        unscheduledPod("p", {}, { containers, restartPolicy: "Nope" }),
      );
      expect(status).toBe(422);
      expect(body.details.causes?.map(({ field }) => field)).toEqual([
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.containers[1].volumeMounts[0].name",
        "spec.restartPolicy",
      ]);
    });

    test("unsupported media types of bodies and responses", async () => {
      expect((await api.client.call("POST", `${api.base}/configmaps`, "x", { type: "text/plain" })).status).toBe(415);
      expect(
        (await api.client.call("PATCH", `${api.base}/configmaps/c`, {}, { type: "application/json" })).status,
      ).toBe(415);
      expect(
        (await api.client.call("GET", `${api.base}/configmaps`, undefined, { accept: "application/xml" })).status,
      ).toBe(406);
      expect((await api.client.call("POST", `${api.base}/configmaps`, "{")).status).toBe(400);
    });

    test("missing paths and unsupported methods", async () => {
      expect((await api.client.call("GET", `${api.base}/configmaps/none`)).body.reason).toBe("NotFound");
      expect((await api.client.call("GET", `${api.base}/unknown`)).status).toBe(404);
      expect((await api.client.call("GET", "/apis/nope.example/v1")).text).toBe("404 page not found\n");
      expect((await api.client.call("PUT", `${api.base}/configmaps`, {})).status).toBe(405);
    });

    test("unknown fields in strict validation", async () => {
      const withUnknownField = { ...configMap("c"), unknown: 1 };
      const strict = await api.client.call("POST", `${api.base}/configmaps?fieldValidation=Strict`, withUnknownField);
      expect([strict.status, strict.body.message]).toEqual([
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "unknown"',
      ]);
      const warned = await api.client.call("POST", `${api.base}/configmaps`, withUnknownField);
      expect([warned.status, warned.headers["warning"]]).toEqual([201, '299 - "unknown field \\"unknown\\""']);
    });
  });
});
