import { expect, test } from "vitest";
import type { ApplicationSpec } from "../application.ts";
import type { OperatorOptions } from "../operator-options.ts";
import { requiredSpec } from "../test-spec.ts";
import { driverStep } from "./driver-step.ts";
import { serviceObjects } from "./services.ts";
import type { TranslationInput } from "./translation.ts";

function inputOf(spec: Partial<ApplicationSpec>, options: OperatorOptions = {}): TranslationInput {
  const all: ApplicationSpec = { ...requiredSpec, ...spec };
  const names = { file: "f", name: "pi", namespace: "jobs", labels: {} };
  return { ...names, options, spec: all, specified: all, md5: () => "0" };
}

test("an Ingress of a driver's port has its own annotations and certificate, else those of the UI", () => {
  const port = { servicePort: 80, servicePortName: "app", ingressURLFormat: "{{$appName}}.example" };
  const ofUi = { ingressAnnotations: { ui: "1" }, ingressTLS: [{ secretName: "ui" }], serviceLabels: { ui: "1" } };
  const own = { ...port, servicePort: 81, ingressURLFormat: "b.example", ingressAnnotations: { own: "1" } };
  const objects = serviceObjects(inputOf({ sparkUIOptions: ofUi, driverIngressOptions: [port, own] }), "spark-1");
  const named = (name: string) => objects.find(({ metadata }) => metadata.name === name);
  expect(named("pi-ing-80")).toMatchObject({
    metadata: { annotations: { ui: "1" } },
    spec: { rules: [{ host: "pi.example" }], tls: [{ secretName: "ui" }] },
  });
  expect(named("pi-ing-81")?.metadata.annotations).toEqual({ own: "1" });
  expect(named("pi-driver-80")?.metadata.labels).toEqual({ "sparkoperator.k8s.io/app-name": "pi" });
});

test("the UI behind an Ingress knows its path with the application ID, unless sparkConf has one", () => {
  const options = { ingressUrlFormat: "ui.example/{{$appId}}" };
  const conf = {
    ...{ role: "driver" as const, appName: "pi", appId: "spark-1", mainClass: "M", appArgs: [], namespace: "jobs" },
    ...{ podName: "p", resourceNamePrefix: "r", sparkVersion: "4.0.5", labels: {}, settings: {} },
  };
  const properties = (sparkConf: Record<string, string>) =>
    driverStep(inputOf({ sparkConf }, options), []).contribute?.(conf).properties;
  expect(properties({})).toEqual({ "spark.ui.proxyBase": "/spark-1", "spark.ui.proxyRedirectUri": "/" });
  expect(properties({ "spark.ui.proxyBase": "/proxied" })).toEqual({ "spark.ui.proxyRedirectUri": "/" });
});

test("the port of the UI's Service follows spark.ui.port and the options", () => {
  const portOf = (spec: Partial<ApplicationSpec>) => serviceObjects(inputOf(spec), "")[0]?.["spec"];
  const conf = { sparkConf: { "spark.ui.port": "4141" } };
  expect(portOf(conf)).toMatchObject({ ports: [{ port: 4141, targetPort: 4141 }] });
  expect(portOf({ ...conf, sparkUIOptions: {} })).toMatchObject({ ports: [{ port: 4040, targetPort: 4141 }] });
  expect(serviceObjects(inputOf({}, { disableUiService: true }), "")).toEqual([]);
});
