import { expect, test } from "vitest";
import { diagnose } from "../../src/diagnosis/diagnose.ts";
import type { Observation, ObservedPod } from "../../src/diagnosis/observation.ts";
import { readRecord } from "../../src/diagnosis/record.ts";
import { testHost } from "../../src/host/test-host.ts";
import type { ApiRequest } from "../../src/kube/transport.ts";
import type { Pod } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import { chunks, neverEndingStream, refused, type TestResponse, testApi } from "../../src/kube-client/test-api.ts";
import { observeDriver } from "../../src/masters/kubernetes/diagnose-driver.ts";
import { recordedFaults, recordedScenarios } from "./recorded-fault.ts";

/** Records with a driver whose end the API still shows, as the cluster was at their end. */
const observations = [...recordedFaults(), ...recordedScenarios()].flatMap(({ id, record }) => {
  const run = readRecord(JSON.stringify(record), id);
  if (!run.ok) throw new Error(`${id} is not a record`);
  const seen = run.value.at(run.value.endMs);
  const { driver, rejection } = seen;
  if (driver === undefined || driver.isDeleted || rejection !== undefined) return [];
  return [{ id, driver, seen: { ...seen, executors: seen.executors.filter(({ isDeleted }) => !isDeleted) } }];
});

test("there are records to compare", () => {
  expect(observations.length).toBeGreaterThan(150);
});

test.each(observations)(
  "$id: the application in the cluster and its record have the same diagnosis",
  async (recorded) => {
    const host = testHost({ now: recorded.seen.now });
    const { clock, random } = host;
    const { transport } = testApi((request) => respond(request, recorded));
    const client = kubeClient({ transport, clock, server: "https://api", requestTimeoutMs: 5000, log: () => {} });
    const pod = withLabels(recorded.driver);
    const live = await host.settle(observeDriver({ client, clock, random, log: () => {}, pod }));
    expect(live?.cause).toBe(diagnose(recorded.seen)?.cause);
    expect(live?.message).toBe(diagnose(recorded.seen)?.message);
  },
);

const application = { "spark-app-selector": "spark-recorded" };

/** Adds the labels by which executors are found: records omit them. */
function withLabels({ pod }: ObservedPod): Pod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: "1", labels: application } };
}

interface Recorded {
  readonly driver: ObservedPod;
  readonly seen: Observation;
}

/** Responds as the API of the cluster did at the end of a record. */
function respond({ path: target, signal }: ApiRequest, { driver, seen }: Recorded): TestResponse | undefined {
  const [path = "", query = ""] = target.split("?");
  const parameters = new URLSearchParams(query);
  const list = (items: readonly object[]): TestResponse =>
    parameters.has("watch")
      ? { status: 200, stream: neverEndingStream(signal) }
      : { status: 200, body: { items, metadata: { resourceVersion: "1" } } };
  const [, kind = "", name, sub] =
    /^\/api(?:s\/[^/]+)?\/v1(?:\/namespaces\/[^/]+)?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(path) ?? [];
  if (sub === "log") return logOf([driver, ...seen.executors], name, parameters.get("container") ?? "");
  if (kind === "pods" && name === undefined) return list(seen.executors.map(withLabels));
  if (kind === "pods") return { status: 200, body: withLabels(driver) };
  if (kind === "events") {
    const about = /involvedObject\.name=([^,]+)/.exec(parameters.get("fieldSelector") ?? "")?.[1];
    return list(seen.events.filter(({ involvedObject }) => about === undefined || involvedObject?.name === about));
  }
  const objects = seen.objects.filter(
    (object) => `${object.kind?.toLowerCase()}s` === kind.replace(/classes$/, "classs"),
  );
  if (name === undefined) return list(objects);
  const found = objects.find(({ metadata }) => metadata.name === name);
  const isSettings = driver.pod.spec?.volumes?.some(
    ({ configMap }) => configMap?.name === name && configMap?.items?.some(({ key }) => key === "spark.properties"),
  );
  if (kind === "configmaps" && isSettings === true) return settings(name, seen.properties);
  return found === undefined ? refused(404, "not found") : { status: 200, body: found };
}

function settings(name: string, properties: Observation["properties"]): TestResponse {
  const lines = Object.entries(properties).map(
    ([key, value]) => `${key}=${value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
  );
  return {
    status: 200,
    body: { kind: "ConfigMap", metadata: { name }, data: { "spark.properties": lines.join("\n") } },
  };
}

function logOf(pods: readonly ObservedPod[], name: string | undefined, container: string): TestResponse {
  const lines = pods.find(({ pod }) => pod.metadata?.name === name)?.logs[container];
  if (lines === undefined || lines.length === 0) return refused(404, "no log");
  return { status: 200, stream: chunks(...lines.map(({ at, text }) => `${new Date(at).toISOString()} ${text}\n`)) };
}
