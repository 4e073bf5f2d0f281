import { expect, test } from "vitest";
import { isReservedSetting } from "./reserved-settings.ts";

test.each([
  "spark.firesteel.mounts",
  "spark.firesteel.staging.server.tokenFile",
  "spark.firesteel.featureSteps",
  "spark.kubernetes.driver.podTemplateFile",
  "spark.kubernetes.executor.podTemplateFile",
  "spark.kubernetes.context",
  "spark.kubernetes.authenticate.submission.oauthToken",
  "spark.kubernetes.authenticate.driver.oauthTokenFile",
  "spark.kubernetes.authenticate.caCertFile",
  "spark.submit.proxyUser.allowCustomClasspathInClusterMode",
])("clients must not set %s", (key) => {
  expect(isReservedSetting(key)).toBe(true);
});

test.each([
  "spark.executor.memory",
  "spark.firesteel.sparkVersion",
  "spark.kubernetes.driver.podTemplateContainerName",
  "spark.kubernetes.authenticate.driver.serviceAccountName",
  "spark.kubernetes.authenticate.driver.mounted.oauthTokenFile",
])("clients can set %s", (key) => {
  expect(isReservedSetting(key)).toBe(false);
});
