import { describe, expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { mountVolumes } from "./mount-volumes.ts";

const prefix = "spark.kubernetes.driver.volumes";

describe("a volume", () => {
  test.each([
    [{ "hostPath.h.options.path": "/h" }, { hostPath: { path: "/h" } }],
    [
      { "hostPath.h.options.path": "/h", "hostPath.h.options.type": "Directory" },
      { hostPath: { path: "/h", type: "Directory" } },
    ],
    [{ "emptyDir.h.options.medium": "Memory" }, { emptyDir: { medium: "Memory" } }],
    [{ "emptyDir.h.options.sizeLimit": "1Gi" }, { emptyDir: { sizeLimit: "1Gi" } }],
    [{ "nfs.h.options.server": "s", "nfs.h.options.path": "/p" }, { nfs: { server: "s", path: "/p" } }],
    [
      { "persistentVolumeClaim.h.options.claimName": "c" },
      { persistentVolumeClaim: { claimName: "c", readOnly: false } },
    ],
  ])("with %j is mounted at its configured path", (options, source) => {
    const [type = ""] = Object.keys(options)[0]?.split(".") ?? [];
    const settings = Object.fromEntries(
      Object.entries({ ...options, [`${type}.h.mount.path`]: "/in" }).map(([key, value]) => [
        `${prefix}.${key}`,
        value,
      ]),
    );
    expect(mountVolumes.contribute(testDriver({ settings }))).toEqual({
      volumes: [{ name: "h", ...source }],
      mounts: [{ name: "h", mountPath: "/in", readOnly: false }],
      resources: [],
    });
  });

  test("can be mounted read-only and with a sub path", () => {
    const settings = {
      [`${prefix}.emptyDir.e.mount.path`]: "/e",
      [`${prefix}.emptyDir.e.mount.readOnly`]: "true",
      [`${prefix}.emptyDir.e.mount.subPathExpr`]: "$(POD)",
    };
    expect(mountVolumes.contribute(testDriver({ settings })).mounts).toEqual([
      { name: "e", mountPath: "/e", readOnly: true, subPathExpr: "$(POD)" },
    ]);
  });
});

describe("a claim with storage class and size", () => {
  const settings = {
    [`${prefix}.persistentVolumeClaim.p.mount.path`]: "/p",
    [`${prefix}.persistentVolumeClaim.p.options.claimName`]: "OnDemand",
    [`${prefix}.persistentVolumeClaim.p.options.storageClass`]: "gp3",
    [`${prefix}.persistentVolumeClaim.p.options.sizeLimit`]: "10Gi",
    [`${prefix}.persistentVolumeClaim.p.label.team`]: "a",
    [`${prefix}.persistentVolumeClaim.p.annotation.note`]: "b",
  };

  test("is created with a generated name", () => {
    const driver = testDriver({ settings });
    const name = "golden-aaaaaa1-driver-pvc-0";
    const { volumes, resources } = mountVolumes.contribute(driver);
    expect(volumes?.[0]?.persistentVolumeClaim?.claimName).toBe(name);
    expect(resources).toEqual([
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          name,
          labels: { team: "a", "spark-app-selector": driver.appId },
          annotations: { note: "b" },
        },
        spec: {
          accessModes: ["ReadWriteOncePod"],
          resources: { requests: { storage: "10Gi" } },
          storageClassName: "gp3",
        },
      },
    ]);
  });

  test.each([
    ["3.5", {}, "ReadWriteOnce"],
    ["4.3", { "spark.kubernetes.legacy.useReadWriteOnceAccessMode": "true" }, "ReadWriteOnce"],
  ] as const)("has the access mode of Spark %s with %j", (line, more, mode) => {
    const [claim] = mountVolumes.contribute(testDriver({ settings: { ...settings, ...more }, line })).resources ?? [];
    expect(claim?.["spec"]).toMatchObject({ accessModes: [mode] });
  });
});

test("reports the problems of the volumes of driver and executors together", () => {
  const settings = {
    [`${prefix}.hostPath.a.mount.path`]: "/same",
    [`${prefix}.hostPath.a.options.path`]: "/a",
    [`${prefix}.hostPath.b.mount.path`]: "/same",
    [`${prefix}.hostPath.b.options.path`]: "/b",
    "spark.kubernetes.executor.volumes.configMap.c.mount.path": "/c",
  };
  const driver = testDriver({ settings });
  const issues = [...(mountVolumes.check?.(driver) ?? []), ...(mountVolumes.checkUse?.(driver) ?? [])];
  expect(issues.map(({ message }) => message)).toEqual([
    "Kubernetes Volume type `configMap` is not supported",
    "requirement failed: Found duplicated mountPath: '/same'",
  ]);
});
