import { expect, test } from "vitest";
import { hadoopConf } from "../values/hadoop-conf.ts";
import { resourceManagersOf } from "./resource-managers.ts";

function serversOf(properties: Readonly<Record<string, string>>) {
  const written = Object.entries(properties).map(
    ([name, value]) => [`yarn.${name.startsWith("http") ? "" : "resourcemanager."}${name}`, value] as const,
  );
  const found = resourceManagersOf(hadoopConf(new Map(written), { env: {}, system: {} }));
  return found.ok ? found.value : found.issues.map(({ code }) => code);
}

test("a ResourceManager has its web address, or else the default port of its host", () => {
  expect(serversOf({ hostname: "rm" })).toEqual(["http://rm:8088"]);
  expect(serversOf({ hostname: "rm", "webapp.address": "${yarn.resourcemanager.hostname}:80" })).toEqual([
    "http://rm:80",
  ]);
  expect(serversOf({ hostname: "rm", "webapp.address": "0.0.0.0:81" })).toEqual(["http://rm:81"]);
  expect(serversOf({ address: "rm:8032" })).toEqual(["http://rm:8088"]);
  expect(serversOf({ hostname: "rm", "http.policy": "HTTPS_ONLY" })).toEqual(["https://rm:8090"]);
  expect(serversOf({})).toEqual(["SUBMIT_ERR_YARN_NO_ADDRESS"]);
});

test("each of several ResourceManagers has its own address", () => {
  const ha = { "ha.enabled": "true", "ha.rm-ids": "a,b" };
  expect(serversOf({ ...ha, "hostname.a": "h1", "webapp.address.b": "h2:99" })).toEqual([
    ...["http://h1:8088", "http://h2:99"],
  ]);
});
