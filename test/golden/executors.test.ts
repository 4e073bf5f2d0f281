import { readdirSync, readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { defaultTextOf } from "../../src/conf/entries/topics.ts";
import { SparkConf } from "../../src/conf/spark-conf.ts";
import { parseSparkVersion } from "../../src/conf/spark-version.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import { planDriver } from "../../src/plan/driver-conf.ts";
import { planExecutor } from "../../src/plan/executor-conf.ts";
import { testFacts, testRequest } from "../../src/plan/test-driver.ts";
import { buildExecutorManifests } from "../../src/spec/executor-spec.ts";
import type { StoredObject } from "./api-state.ts";
import { differenceOf } from "./difference.ts";
import { comparableObjects } from "./normalize.ts";

/** Configuration that scripts/record-executors.mjs passes to a real driver. */
interface ExecutorCase {
  readonly kind?: "java" | "python";
  readonly settings: Readonly<Record<string, string>>;
  /** YAML of the executors' pod template. */
  readonly template?: string;
  readonly confFiles?: Readonly<Record<string, string>>;
}

const directory = new URL("./executors/", import.meta.url);
const cases: Readonly<Record<string, ExecutorCase>> = readJson("cases.json");
const versions = readdirSync(directory).filter((name) => /^\d.*\.json$/.test(name));

describe.each(versions)("executors equal those of a real driver, %s", (file) => {
  const recorded: Readonly<Record<string, readonly StoredObject[] | { readonly refused: string }>> = readJson(file);
  const version = file.replace(/\.json$/, "");

  test.each(Object.keys(recorded))("%s", (name) => {
    const objects = recorded[name];
    const spec = cases[name];
    if (objects === undefined || spec === undefined) throw new Error(`no such case: ${name}`);
    const built = build(spec, version);
    if ("refused" in objects) {
      const messages = built.ok ? [] : built.issues.map(({ message }) => message);
      expect(objects.refused).toContain(messages[0] ?? "nothing is rejected here");
      return;
    }
    if (!built.ok) throw new Error(JSON.stringify(built.issues));
    const { pod, resources } = built.value;
    const actual = comparable([toStoredObject(pod), ...resources.map(toStoredObject)]);
    const expected = comparable(objects.map((object) => withOptionsOf(object, recorded["plain"])));
    for (const label of new Set([...actual.keys(), ...expected.keys()])) {
      expect(differenceOf(expected.get(label), actual.get(label), label)).toEqual([]);
    }
  });
});

function readJson(name: string) {
  return JSON.parse(readFileSync(new URL(name, directory), "utf8"));
}

function build({ kind = "java", settings, template, confFiles = {} }: ExecutorCase, versionText: string) {
  const version = parseSparkVersion(versionText);
  if (version === undefined) throw new Error(versionText);
  const allSettings = {
    "spark.app.name": "Spark Pi",
    "spark.kubernetes.container.image": "img:1",
    "spark.kubernetes.driver.pod.name": "the-driver",
    ...settings,
    ...(template === undefined ? {} : { "spark.kubernetes.executor.podTemplateFile": "/template" }),
  };
  const origin = { kind: "conf" } as const;
  const conf = new SparkConf(
    Object.entries(allSettings).map(([key, value]) => ({ key, value, origin })),
    version,
    { env: {}, defaults: defaultTextOf },
  );
  const request = { ...testRequest(), appResource: { kind, uri: "local:///app" }, conf };
  const files = Object.entries(confFiles).map(([name, text]) => ({ name, text, sizeBytes: text.length }));
  const driver = planDriver(request, { ...testFacts, confDirectory: { path: "/opt/spark/conf", files } });
  if (!driver.ok) return driver;
  const own = {
    "spark.driver.host": "the-driver-svc.default.svc",
    "spark.driver.port": "7078",
    "spark.driver.blockManager.port": "7079",
    "spark.kubernetes.memoryOverheadFactor": kind === "java" ? "0.1" : "0.4",
    "spark.kubernetes.resource.type": kind,
  };
  const executor = planExecutor(driver.value, {
    properties: { ...own, ...settings },
    driverEnv: { SPARK_USER: "submitter", SPARK_LOCAL_DIRS: "/var/data/spark-uuid" },
    template: template === undefined ? undefined : load(template),
    uniqueIds: { resourceNamePrefix: "ID", confMap: "ID" },
    executorId: "1",
    driverPod: { ip: "POD_IP", uid: "uid-of-the-driver" },
  });
  return executor.ok ? buildExecutorManifests(executor.value) : executor;
}

function toStoredObject(object: object): StoredObject {
  return JSON.parse(JSON.stringify(object));
}

/** Removes values that depend on the order of a hash map: numbers of claims, and positions of settings among the JVM options. */
function comparable(objects: readonly StoredObject[]): ReadonlyMap<string, unknown> {
  const applicationId = /spark-[0-9a-f]{32}/g;
  return comparableObjects(objects.map(withSortedOptions), (text) =>
    text
      .replaceAll("spark-pi-id", "spark-pi-ID")
      .replace(applicationId, "spark-of-the-application")
      .replace(/-pvc-\d+/g, "-pvc-N"),
  );
}

/** Moves the JVM options from the variables to a list beside the pod, as in the recordings. */
function withSortedOptions(object: StoredObject): StoredObject {
  const copy = structuredClone(object);
  const containers: KubeResource[] = JSON.parse(JSON.stringify(copy["spec"]))?.containers ?? [];
  const env = containers.at(-1)?.["env"];
  if (!Array.isArray(env)) return copy;
  const isOption = ({ name }: { name: string }) => name.startsWith("SPARK_JAVA_OPT_");
  const listed = copy["javaOptions"];
  const options = Array.isArray(listed) ? listed : env.filter(isOption).map(({ value }) => value);
  const isSetting = (option: string) => option.startsWith("-Dspark.");
  const spec = JSON.parse(JSON.stringify(copy["spec"]));
  spec.containers.at(-1).env = env.filter((variable) => !isOption(variable));
  const javaOptions = [...options.filter((option) => !isSetting(option)), ...options.filter(isSetting).sort()];
  return { ...copy, spec, javaOptions };
}

function withOptionsOf(
  object: StoredObject,
  plain: readonly StoredObject[] | { readonly refused: string } | undefined,
): StoredObject {
  if (object["javaOptions"] !== "plain" || !Array.isArray(plain)) return object;
  return { ...object, javaOptions: plain.find(({ kind }) => kind === "Pod")?.javaOptions };
}
