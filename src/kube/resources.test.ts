import { expect, test } from "vitest";
import { apiVersionOf, printReference, resourcePath, resourceTypeOf, resourceTypes } from "./resources.ts";

test("paths lead to collections and objects of either scope", () => {
  const { pod, networkPolicy, namespace } = resourceTypes;
  expect(resourcePath(pod, "ns", "drv")).toBe("/api/v1/namespaces/ns/pods/drv");
  expect(resourcePath(pod)).toBe("/api/v1/pods");
  expect(resourcePath(networkPolicy, "ns")).toBe("/apis/networking.k8s.io/v1/namespaces/ns/networkpolicies");
  expect(resourcePath(namespace, "ignored", "ns")).toBe("/api/v1/namespaces/ns");
  expect(resourcePath(pod, "a/b", "c d")).toBe("/api/v1/namespaces/a%2Fb/pods/c%20d");
});

test("an object's type is known by its apiVersion and kind, and guessed for foreign kinds", () => {
  expect(resourceTypeOf({ apiVersion: "v1", kind: "Secret" })).toBe(resourceTypes.secret);
  expect(resourceTypeOf({ apiVersion: "a.io/v1", kind: "Policy" })).toMatchObject({
    plural: "policies",
    group: "a.io",
  });
  expect(resourceTypeOf({ apiVersion: "a.io/v1", kind: "Ingress" }).plural).toBe("ingresses");
  expect(resourceTypeOf({ apiVersion: "a.io/v1", kind: "Lock" }).plural).toBe("locks");
});

test("references are those of kubectl", () => {
  expect(printReference(resourceTypes.configMap, "m")).toBe("configmap/m");
  expect(printReference(resourceTypes.networkPolicy, "p")).toBe("networkpolicy.networking.k8s.io/p");
  expect(apiVersionOf(resourceTypes.podGroup)).toBe("scheduling.volcano.sh/v1beta1");
});
