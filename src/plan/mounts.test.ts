import { describe, expect, test } from "vitest";
import { type MountFacts, planMounts } from "./mounts.ts";

const embedded: MountFacts = {
  locate: (path) => (path === "none" ? undefined : `/w/${path}`.replace("/w//", "/")),
  isEmbedded: true,
  roles: ["driver", "executor"],
};

function plan(texts: readonly string[], facts: Partial<MountFacts> = {}) {
  const { added, issues } = planMounts(texts, { ...embedded, ...facts });
  return {
    settings: added.map(({ key, value }) => `${key.replace("spark.kubernetes.", "")}=${value}`),
    problems: issues.map(({ message }) => message.replace(" in spark.firesteel.mounts", "")),
  };
}

describe("a mount", () => {
  test("of a directory is a volume of driver and executors", () => {
    expect(plan(["data:/data"]).settings).toEqual([
      "driver.volumes.hostPath.firesteel-mount-1.mount.path=/data",
      "driver.volumes.hostPath.firesteel-mount-1.mount.readOnly=false",
      "driver.volumes.hostPath.firesteel-mount-1.options.path=/w/data",
      "executor.volumes.hostPath.firesteel-mount-1.mount.path=/data",
      "executor.volumes.hostPath.firesteel-mount-1.mount.readOnly=false",
      "executor.volumes.hostPath.firesteel-mount-1.options.path=/w/data",
    ]);
  });

  test.each([
    ["data", "/w/data", "false"],
    ["data:ro", "/w/data", "true"],
    ["data:/in/pod:ro", "/in/pod", "true"],
    ["ro:/in/pod", "/in/pod", "false"],
  ])("%s is at %s, read-only: %s", (text, path, readOnly) => {
    const { settings } = plan([text], { roles: ["executor"] });
    expect(settings[0]).toMatch(`mount.path=${path}`);
    expect(settings[1]).toMatch(`mount.readOnly=${readOnly}`);
  });

  test("of a claim works on every cluster", () => {
    expect(plan(["pvc:shared:/data:ro"], { isEmbedded: false, roles: ["executor"] }).settings).toEqual([
      "executor.volumes.persistentVolumeClaim.firesteel-mount-1.mount.path=/data",
      "executor.volumes.persistentVolumeClaim.firesteel-mount-1.mount.readOnly=true",
      "executor.volumes.persistentVolumeClaim.firesteel-mount-1.options.claimName=shared",
    ]);
  });

  test("of buckets is the credentials of a Secret", () => {
    const { settings, problems } = plan(["s3a://in:s3-user", "s3a://out/:s3-user"], { isEmbedded: false });
    expect(settings).toEqual([
      "driver.secretKeyRef.AWS_ACCESS_KEY_ID=s3-user:AWS_ACCESS_KEY_ID",
      "driver.secretKeyRef.AWS_SECRET_ACCESS_KEY=s3-user:AWS_SECRET_ACCESS_KEY",
      "executor.secretKeyRef.AWS_ACCESS_KEY_ID=s3-user:AWS_ACCESS_KEY_ID",
      "executor.secretKeyRef.AWS_SECRET_ACCESS_KEY=s3-user:AWS_SECRET_ACCESS_KEY",
    ]);
    expect(problems).toEqual([]);
  });

  test("that is invalid is reported with the others (SUBMIT_ERR_MOUNT)", () => {
    const texts = [
      "none:/a",
      "a:b",
      "a:/b:rw",
      "pvc:x",
      "pvc:x:y",
      ":/a",
      "s3a://bucket",
      "s3a://b/p:s",
      "x:/x",
      "y:/x",
    ];
    expect(plan(texts).problems).toEqual([
      "Invalid mount none:/a: none does not exist.",
      "Invalid mount a:b: the path b in the pod is not absolute.",
      "Invalid mount a:/b:rw: it does not have the form SOURCE:/PATH.",
      "Invalid mount pvc:x: it does not have the form pvc:NAME:/PATH.",
      "Invalid mount pvc:x:y: it does not have the form pvc:NAME:/PATH.",
      "Invalid mount :/a: it does not have the form SOURCE:/PATH.",
      "Invalid mount s3a://bucket: it does not have the form s3a://BUCKET:SECRET.",
      "Invalid mount s3a://b/p:s: it does not have the form s3a://BUCKET:SECRET.",
      "Invalid mount /x: two mounts have this path.",
    ]);
  });

  test("of this machine is rejected on other clusters, and so are two Secrets", () => {
    const { problems } = plan(["data:/data", "s3a://a:one", "s3a://b:two"], { isEmbedded: false });
    expect(problems).toEqual([
      "Invalid mount data:/data: only pods of the embedded cluster can mount files of this machine.",
      "Invalid mount one, two: the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY can come from one Secret only.",
    ]);
  });
});
