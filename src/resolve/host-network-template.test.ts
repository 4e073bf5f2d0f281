import { expect, test } from "vitest";
import { withHostNetwork } from "./host-network-template.ts";

const parse = (text: string): unknown => JSON.parse(text);

test("adds the network of the node, and keeps everything else", () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { tolerations: [{ key: "spark" }] } };
  expect(parse(withHostNetwork(template))).toEqual({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } } },
    spec: { tolerations: [{ key: "spark" }], hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
  });
  expect(parse(withHostNetwork({}))).toHaveProperty("spec.hostNetwork", true);
});

test("keeps a DNS policy", () => {
  expect(parse(withHostNetwork({ spec: { dnsPolicy: "Default" } }))).toHaveProperty("spec.dnsPolicy", "Default");
});

test("rejects a template that forbids it, and what is not a pod", () => {
  expect(() => withHostNetwork({ spec: { hostNetwork: false } })).toThrow(/spec\.hostNetwork is false/);
  expect(() => withHostNetwork([])).toThrow("it is not a pod");
});
