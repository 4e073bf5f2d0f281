import { describe, expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { buildDriverManifests } from "./driver-spec.ts";
import { buildDriver } from "./test-driver-spec.ts";

const featurePackage = "org.apache.spark.deploy.k8s.features";

describe("excluded steps", () => {
  const settings = {
    "spark.kubernetes.driver.pod.excludedFeatureSteps": `${featurePackage}.NetworkPolicyFeatureStep, ${featurePackage}.DriverServiceFeatureStep`,
  };

  test("add nothing", () => {
    const { resources } = buildDriver({ settings }).manifests;
    expect(resources.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
    expect(JSON.stringify(resources)).not.toContain("spark.driver.host");
  });

  test("contribute in Spark versions that cannot exclude them", () => {
    const { resources } = buildDriver({ settings, line: "4.0" }).manifests;
    expect(resources.map(({ kind }) => kind)).toEqual(["Service", "ConfigMap"]);
  });

  test("do not report problems of their contribution", () => {
    const [excluded = ""] = Object.keys(settings);
    const broken = {
      "spark.kubernetes.driver.secretKeyRef.A": "b",
      "spark.kubernetes.driver.volumes.hostPath.h.mount.path": "/h",
    };
    const steps = `${featurePackage}.EnvSecretsFeatureStep,${featurePackage}.MountVolumesFeatureStep`;
    expect(buildDriverManifests(testDriver({ settings: { ...broken, [excluded]: steps } })).ok).toBe(true);
    expect(buildDriverManifests(testDriver({ settings: broken })).ok).toBe(false);
  });

  test("report problems of their creation", () => {
    const driver = testDriver({ settings: { ...settings, "spark.driver.bindAddress": "0.0.0.0" } });
    expect(buildDriverManifests(driver).ok).toBe(false);
  });
});
