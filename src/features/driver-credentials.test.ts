import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { driverCredentials } from "./driver-credentials.ts";

const account = { "spark.kubernetes.authenticate.driver.serviceAccountName": "spark" };
const token = { "spark.kubernetes.authenticate.driver.oauthToken": "tok" };

test("adds nothing without credentials and a service account", () => {
  expect(driverCredentials.contribute(testDriver())).toEqual({});
});

test("sets the service account of the pod without credentials", () => {
  expect(driverCredentials.contribute(testDriver({ settings: account }))).toEqual({
    podSpec: { serviceAccount: "spark", serviceAccountName: "spark" },
  });
});

test("stores credentials in a mounted Secret and sets their paths", () => {
  const settings = { ...token, "spark.kubernetes.authenticate.driver.caCertFile": "ca.pem" };
  const facts = { credentialFiles: { "spark.kubernetes.authenticate.driver.caCertFile": "Q0EK" } };
  const name = "golden-aaaaaa1-kubernetes-credentials";
  expect(driverCredentials.contribute(testDriver({ settings, facts }))).toEqual({
    volumes: [{ name: "kubernetes-credentials", secret: { secretName: name } }],
    mounts: [{ name: "kubernetes-credentials", mountPath: "/mnt/secrets/spark-kubernetes-credentials" }],
    resources: [
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name },
        immutable: true,
        data: { "oauth-token": "dG9r", "ca-cert": "Q0EK" },
      },
    ],
    properties: {
      "spark.kubernetes.authenticate.driver.oauthToken": "<present_but_redacted>",
      "spark.kubernetes.authenticate.driver.mounted.caCertFile": "/mnt/secrets/spark-kubernetes-credentials/ca-cert",
      "spark.kubernetes.authenticate.driver.mounted.oauthTokenFile":
        "/mnt/secrets/spark-kubernetes-credentials/oauth-token",
    },
    warnings: [],
  });
});

test("hides all tokens in the driver's properties and keeps a path of the user", () => {
  const settings = {
    ...token,
    "spark.my.oauthToken": "secret",
    "spark.kubernetes.authenticate.driver.mounted.oauthTokenFile": "/mine",
  };
  expect(driverCredentials.contribute(testDriver({ settings })).properties).toEqual({
    "spark.kubernetes.authenticate.driver.oauthToken": "<present_but_redacted>",
    "spark.my.oauthToken": "<present_but_redacted>",
  });
});

test("warns about a service account that credentials replace since Spark 4.3", () => {
  const settings = { ...account, ...token };
  const warnings = driverCredentials.contribute(testDriver({ settings })).warnings ?? [];
  expect(warnings[0]).toMatch(
    /^Not applying spark\.kubernetes\.authenticate\.driver\.serviceAccountName=spark to the driver pod, because the driver credentials given by spark\.kubernetes\.authenticate\.driver\.oauthToken take precedence: the pod falls back to the namespace's default account\. /,
  );
  expect(driverCredentials.contribute(testDriver({ settings, line: "4.2" })).warnings).toEqual([]);
});

test("does not warn about a service account that the template names, too", () => {
  const settings = { ...account, ...token, "spark.kubernetes.driver.podTemplateFile": "pod.yml" };
  const templated = (name: string) =>
    driverCredentials.contribute(
      testDriver({ settings, facts: { driverTemplate: { spec: { serviceAccountName: name } } } }),
    ).warnings;
  expect(templated("spark")).toEqual([]);
  expect(templated("other")?.[0]).toContain("the pod keeps other, named by its spec");
});
