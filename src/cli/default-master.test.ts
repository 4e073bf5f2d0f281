import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { writeClusterRecord } from "./cluster-record.ts";
import { orRunningCluster } from "./default-master.ts";
import { parseCommandLineSettings } from "./parse-command-line-settings.ts";

const kubeconfig = JSON.stringify({
  ...{ "current-context": "prod", contexts: [{ name: "prod", context: { cluster: "prod" } }] },
  clusters: [{ name: "prod", cluster: { server: "https://prod:6443" } }],
});

function machine(env: Readonly<Record<string, string>> = {}) {
  return testHost({
    files: {
      "/s/clusters/default": null,
      "/kubeconfig": kubeconfig,
      "/conf": "spark.master k8s://https://conf:6443\n",
    },
    env: { FIRESTEEL_STATE: "/s", ...env },
    spawn: () => {},
  });
}

function withCluster(host = machine()) {
  writeClusterRecord(host, {
    ...{ name: "default", pid: host.spawn("node", []).pid ?? 0, url: "https://127.0.0.1:1", certificateAuthority: "" },
    ...{ token: "secret", sandbox: "bwrap", apiOnly: false, sparkVersions: ["4.3.0"], started: 0 },
  });
  return host;
}

const nothing = parseCommandLineSettings([]);

test("commands about what runs take the embedded cluster that runs if nothing names another one", async () => {
  expect(await orRunningCluster(withCluster(), nothing)).toEqual({ ...nothing, fields: { master: "k8s://embedded" } });
  expect(await orRunningCluster(machine(), nothing)).toEqual(nothing);
});

test.each([
  { by: "option", host: machine(), commandLine: parseCommandLineSettings(["--master", "k8s://https://other:6443"]) },
  { by: "kubeconfig", host: machine({ KUBECONFIG: "/kubeconfig" }), commandLine: nothing },
  { by: "properties file", host: machine(), commandLine: parseCommandLineSettings(["--properties-file", "/conf"]) },
])("another cluster is named by $by", async ({ host, commandLine }) => {
  expect(await orRunningCluster(withCluster(host), commandLine)).toEqual(commandLine);
});
