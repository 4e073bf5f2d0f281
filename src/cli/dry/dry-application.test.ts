import { expect, test } from "vitest";
import { applicationSubmission } from "../../applications/application-submission.ts";
import { loadApplication } from "../../applications/load-application.ts";
import type { Host } from "../../host/host.ts";
import { testHost } from "../../host/test-host.ts";
import { requiredSpec } from "../../spark-application/test-spec.ts";
import { dryApplication } from "./dry-application.ts";

const application = {
  ...{ apiVersion: "sparkoperator.k8s.io/v1beta2" as const, kind: "SparkApplication" as const },
  metadata: { name: "pi", namespace: "jobs" },
  spec: { ...requiredSpec, image: "spark", mainApplicationFile: "local:///a.jar", mainClass: "Main" },
};

test("a namespace of the command line is that of all objects, and part of their URLs", async () => {
  const options = { ingressUrlFormat: "{{$appNamespace}}.example/{{$appName}}" };
  const loaded = loadApplication("a.yaml", application, { options, reservedKeys: "reject" });
  const settings = [{ key: "spark.kubernetes.namespace", value: "other", origin: { kind: "conf" as const } }];
  const overrides = { fields: { master: "k8s://https://h" }, settings, verbose: false };
  const submit = (host: Host) => applicationSubmission(host, loaded, overrides);
  const dry = await dryApplication(testHost(), submit, { seed: "a" });
  const { objects } = dry.objects();
  const namespaces = objects.map(({ object }) => `${object.kind} ${object.metadata.namespace}`);
  expect(new Set(namespaces)).toEqual(new Set(["ConfigMap other", "Pod other", "Service other", "Ingress other"]));
  expect(JSON.stringify(objects)).toContain('"host":"other.example"');
});
