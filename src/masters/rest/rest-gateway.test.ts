import { expect, test } from "vitest";
import { likelyGateway, restGateways } from "./rest-gateway.ts";

const urls = (master: string) => {
  const gateways = restGateways(master);
  return gateways.ok ? gateways.value.map(({ url }) => url) : gateways.issues.map(({ message }) => message);
};

test("a master URL names one gateway for each of its addresses", () => {
  expect(urls("spark://a:1,b:2/")).toEqual(["http://a:1/v1/submissions", "http://b:2/v1/submissions"]);
  expect(urls("spark://[::1]:6066")).toEqual(["http://[::1]:6066/v1/submissions"]);
  expect(urls("spark://a:1,")).toEqual(["http://a:1/v1/submissions"]);
  expect(urls("spark://a")).toEqual(["http://a/v1/submissions"]);
  expect(urls("mesos://a:7077")).toEqual(["http://a:7077/v1/submissions"]);
});

test.each([
  "spark://",
  "spark://,",
  "spark://,a:1",
  "spark://a:66666",
  "spark://u:p@a:1",
  "spark://a:1?x",
  "mesos://zk://a:1/m",
])("%s is rejected", (master) => {
  expect(urls(master).join()).toMatch(/is not the address of a master\.$/);
});

test("suggests a gateway only for the RPC port of a standalone master", () => {
  const likely = (master: string) => {
    const gateways = restGateways(master);
    return gateways.ok ? gateways.value.map((gateway) => likelyGateway(gateway)?.name) : [];
  };
  expect(likely("spark://a:7077,b:6066,c:7077/")).toEqual(["spark://a:6066", undefined, "spark://c:6066"]);
  expect(likely("mesos://a:7077")).toEqual([undefined]);
});
