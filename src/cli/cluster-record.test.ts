import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { clusterPaths, findRunningCluster, readClusterRecord, writeClusterRecord } from "./cluster-record.ts";

const record = {
  ...{ name: "default", pid: 77, url: "https://127.0.0.1:1", certificateAuthority: "", token: "secret" },
  ...{ sandbox: "bwrap", apiOnly: false, sparkVersions: ["4.3.0"], started: 0 },
};

describe("the record of a background cluster", () => {
  test("is in FIRESTEEL_STATE, else in the user's state directory, readable by its user only", () => {
    expect(clusterPaths(testHost({ env: { FIRESTEEL_STATE: "/s" } }), "a").record).toBe("/s/clusters/a/cluster.json");
    const host = testHost({ files: { "/home/tester/.local/state/firesteel/clusters/default": null } });
    writeClusterRecord(host, record);
    expect(readClusterRecord(host, "default")).toEqual(record);
    const { directory, record: path } = clusterPaths(host, "default");
    expect(host.files.info(path)?.mode).toBe(0o600);
    expect(host.files.list(directory)).toEqual(["cluster.json"]);
  });

  test("is ignored if its process has ended or its API does not respond", async () => {
    const host = testHost({
      files: { "/s/clusters/default": null },
      env: { FIRESTEEL_STATE: "/s" },
      spawn: () => {},
    });
    writeClusterRecord(host, record);
    expect(await findRunningCluster(host, "default")).toBeUndefined();
    writeClusterRecord(host, { ...record, pid: host.spawn("node", []).pid ?? 0 });
    expect(await findRunningCluster(host, "default")).toBeUndefined();
    expect(await findRunningCluster(host, "other")).toBeUndefined();
  });
});
