import { describe, expect, test } from "vitest";
import { testDriver, testFacts } from "../plan/test-driver.ts";
import { localDirs } from "./local-dirs.ts";

describe("local directories", () => {
  test.each([
    [{}, {}, [`/var/data/spark-${testFacts.localDirUuid}`]],
    [{ "spark.local.dir": "/d1,/d2" }, {}, ["/d1", "/d2"]],
    [{ "spark.local.dir": "/d1" }, { SPARK_LOCAL_DIRS: "/e1, /e2,," }, ["/e1", " /e2"]],
  ])("with %j and %j are empty directories at %j", (settings, env, paths) => {
    expect(localDirs.contribute(testDriver({ settings, facts: { env } }))).toEqual({
      volumes: paths.map((_, index) => ({ name: `spark-local-dir-${index + 1}`, emptyDir: {} })),
      mounts: paths.map((mountPath, index) => ({ name: `spark-local-dir-${index + 1}`, mountPath })),
      env: [{ name: "SPARK_LOCAL_DIRS", value: paths.join(",") }],
    });
  });

  test("can be in memory", () => {
    const settings = { "spark.kubernetes.local.dirs.tmpfs": "true" };
    expect(localDirs.contribute(testDriver({ settings })).volumes).toEqual([
      { name: "spark-local-dir-1", emptyDir: { medium: "Memory" } },
    ]);
  });

  const volume = "spark.kubernetes.driver.volumes.emptyDir.spark-local-dir-1.mount.path";

  test("are the volumes with their name prefix in settings and template", () => {
    const settings = { [volume]: "/scratch", "spark.kubernetes.driver.podTemplateFile": "pod.yml" };
    const container = {
      name: "c",
      volumeMounts: [
        { name: "spark-local-dir-t", mountPath: "/t" },
        { name: "other", mountPath: "/o" },
      ],
    };
    const facts = { driverTemplate: { spec: { containers: [container] } } };
    expect(localDirs.contribute(testDriver({ settings, facts }))).toEqual({
      env: [{ name: "SPARK_LOCAL_DIRS", value: "/t,/scratch" }],
    });
  });

  test("are not volumes of an excluded step", () => {
    const settings = {
      [volume]: "/scratch",
      "spark.kubernetes.driver.pod.excludedFeatureSteps":
        "org.apache.spark.deploy.k8s.features.MountVolumesFeatureStep",
    };
    expect(localDirs.contribute(testDriver({ settings })).volumes).toHaveLength(1);
  });
});
