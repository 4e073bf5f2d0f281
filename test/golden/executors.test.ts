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
import { differenceOf } from "./difference.ts";
import { comparableObjects } from "./normalize.ts";
import type { Kept } from "./recording-api.ts";

/** One configuration, as scripts/record-executors.mjs gives it to a real driver. */
interface ExecutorCase {
  readonly kind?: "java" | "python";
  readonly settings: Readonly<Record<string, string>>;
  /** Text of the executors' pod template. */
  readonly template?: string;
  readonly confFiles?: Readonly<Record<string, string>>;
}

const folder = new URL("./executors/", import.meta.url);
const cases: Readonly<Record<string, ExecutorCase>> = readJson("cases.json");
const versions = readdirSync(folder).filter((name) => /^\d.*\.json$/.test(name));

describe.each(versions)("an executor of a real driver, %s", (file) => {
  const recorded: Readonly<Record<string, readonly Kept[] | { readonly refused: string }>> = readJson(file);
  const version = file.replace(/\.json$/, "");

  test.each(Object.keys(recorded))("%s", (name) => {
    const objects = recorded[name];
    const spec = cases[name];
    if (objects === undefined || spec === undefined) throw new Error(`no such case: ${name}`);
    const built = build(spec, version);
    if ("refused" in objects) {
      const messages = built.ok ? [] : built.issues.map(({ message }) => message);
      expect(objects.refused).toContain(messages[0] ?? "nothing is refused here");
      return;
    }
    if (!built.ok) throw new Error(JSON.stringify(built.issues));
    const { pod, resources } = built.value;
    const ours = comparable([toKept(pod), ...resources.map(toKept)]);
    const theirs = comparable(objects.map((object) => withOptionsOf(object, recorded["plain"])));
    for (const label of new Set([...ours.keys(), ...theirs.keys()])) {
      expect(differenceOf(theirs.get(label), ours.get(label), label)).toEqual([]);
    }
  });
});

function readJson(name: string) {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8"));
}

function build({ kind = "java", settings, template, confFiles = {} }: ExecutorCase, versionText: string) {
  const version = parseSparkVersion(versionText);
  if (version === undefined) throw new Error(versionText);
  const given = {
    "spark.app.name": "Spark Pi",
    "spark.kubernetes.container.image": "img:1",
    "spark.kubernetes.driver.pod.name": "the-driver",
    ...settings,
    ...(template === undefined ? {} : { "spark.kubernetes.executor.podTemplateFile": "/template" }),
  };
  const origin = { kind: "conf" } as const;
  const conf = new SparkConf(
    Object.entries(given).map(([key, value]) => ({ key, value, origin })),
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

function toKept(object: object): Kept {
  return JSON.parse(JSON.stringify(object));
}

/** Without what the order of a hash map decides: the numbers of claims, and of settings among the options of a JVM. */
function comparable(objects: readonly Kept[]): ReadonlyMap<string, unknown> {
  const applicationId = /spark-[0-9a-f]{32}/g;
  return comparableObjects(objects.map(withSortedOptions), (text) =>
    text
      .replaceAll("spark-pi-id", "spark-pi-ID")
      .replace(applicationId, "spark-of-the-application")
      .replace(/-pvc-\d+/g, "-pvc-N"),
  );
}

/** As the recordings have them: a list beside the pod, without the variables. */
function withSortedOptions(object: Kept): Kept {
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
  const javaOptions = [
    ...options.filter((option) => !isSetting(option)),
    ...options.filter(isSetting).sort(),
  ];
  return { ...copy, spec, javaOptions };
}

function withOptionsOf(
  object: Kept,
  plain: readonly Kept[] | { readonly refused: string } | undefined,
): Kept {
  if (object["javaOptions"] !== "plain" || !Array.isArray(plain)) return object;
  return { ...object, javaOptions: plain.find(({ kind }) => kind === "Pod")?.javaOptions };
}
