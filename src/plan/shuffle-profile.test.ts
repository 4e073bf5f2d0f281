import { expect, test } from "vitest";
import type { SparkLine } from "../conf/spark-version.ts";
import { shuffleWarnings } from "./shuffle-allocation.ts";
import { needsHostNetwork, planShuffle } from "./shuffle-profile.ts";
import { sparkBehaviors, testRequest } from "./test-driver.ts";

type Settings = Readonly<Record<string, string>>;

const profile = "spark.firesteel.shuffle";

function plan(settings: Settings, line?: SparkLine, mode = "cluster") {
  const request = testRequest({ settings, ...(line === undefined ? {} : { line }) });
  const { added, issues } = planShuffle(request.conf, { mode, behaviors: request.behaviors });
  const conf = added.reduce((all, { key, value }) => all.with(key, value), request.conf);
  return {
    conf,
    origins: new Set(added.map(({ origin }) => (origin.kind === "client" ? origin.why : origin.kind))),
    added: Object.fromEntries(added.map(({ key, value }) => [key, value])),
    messages: issues.map(({ message }) => message),
    codes: issues.map(({ code }) => code),
    hints: issues.map(({ hint }) => hint),
    warnings: shuffleWarnings(conf),
  };
}

test("of the service puts executors on the network of the node, with a directory per application", () => {
  const { conf, added, origins, messages } = plan({
    [profile]: "service",
    "spark.dynamicAllocation.maxExecutors": "5",
  });
  expect(messages).toEqual([]);
  expect(added).toEqual({
    "spark.blockManager.port": "0",
    "spark.driver.blockManager.port": "7079",
    "spark.dynamicAllocation.cachedExecutorIdleTimeout": "20min",
    "spark.dynamicAllocation.enabled": "true",
    "spark.executorEnv.SPARK_EXECUTOR_DIRS": "/var/lib/spark-local/SPARK_APPLICATION_ID",
    "spark.files.fetchFailure.unRegisterOutputOnHost": "true",
    "spark.kubernetes.executor.podTemplateFile": "data:,",
    "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-1.mount.path": "/var/lib/spark-local",
    "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-1.options.path": "/var/lib/spark-local",
    "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-1.options.type": "Directory",
    "spark.shuffle.io.maxRetries": "6",
    "spark.shuffle.readHostLocalDisk": "false",
    "spark.shuffle.registration.maxAttempts": "6",
    "spark.shuffle.service.enabled": "true",
    "spark.shuffle.service.removeShuffle": "true",
    "spark.storage.decommission.enabled": "false",
  });
  expect([...origins]).toEqual(["spark.firesteel.shuffle=service"]);
  expect(needsHostNetwork(conf)).toBe(true);
});

test("of the service uses the directories and the local volumes of the user", () => {
  const several = plan({ [profile]: "service", "spark.firesteel.shuffle.directories": "/disk1/spark/, /disk2" });
  expect(several.added).toMatchObject({
    "spark.executorEnv.SPARK_EXECUTOR_DIRS": "/disk1/spark/SPARK_APPLICATION_ID:/disk2/SPARK_APPLICATION_ID",
    "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-2.mount.path": "/disk2",
  });
  const volume = "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-fast";
  const own = plan({ [profile]: "service", [`${volume}.mount.path`]: "/fast", [`${volume}.options.path`]: "/mnt" });
  expect(own.added).toMatchObject({ "spark.executorEnv.SPARK_EXECUTOR_DIRS": "/fast/SPARK_APPLICATION_ID" });
  expect(Object.keys(own.added).some((key) => key.includes("spark-local-dir-1"))).toBe(false);
});

test.each<[Settings, Settings]>([
  [
    { [profile]: "tracking" },
    {
      "spark.dynamicAllocation.shuffleTracking.enabled": "true",
      "spark.dynamicAllocation.shuffleTracking.timeout": "1h",
      "spark.shuffle.service.enabled": "false",
    },
  ],
  [
    { [profile]: "decommission", "spark.storage.decommission.fallbackStorage.path": "s3a://b/p/" },
    {
      "spark.decommission.enabled": "true",
      "spark.storage.decommission.enabled": "true",
      "spark.storage.decommission.fallbackStorage.cleanUp": "true",
      "spark.dynamicAllocation.shuffleTracking.enabled": "false",
    },
  ],
  [
    {
      [profile]: "plugin",
      "spark.shuffle.manager": "org.apache.spark.shuffle.celeborn.SparkShuffleManager",
      "spark.celeborn.master.endpoints": "celeborn-0:9097",
    },
    {
      "spark.shuffle.sort.io.plugin.class": "org.apache.spark.shuffle.celeborn.CelebornShuffleDataIO",
      "spark.dynamicAllocation.shuffleTracking.enabled": "false",
    },
  ],
])("%j adds what it needs", (settings, expected) => {
  const { added, messages } = plan(settings);
  expect(messages).toEqual([]);
  expect(added).toMatchObject({ ...expected, "spark.dynamicAllocation.enabled": "true" });
});

test("decommissioning keeps an executor to move files to, unless there is a fallback storage", () => {
  const key = "spark.dynamicAllocation.minExecutors";
  expect(plan({ [profile]: "decommission" }).added[key]).toBe("1");
  const fallback = { "spark.storage.decommission.fallbackStorage.path": "s3a://b/p/" };
  expect(plan({ [profile]: "decommission", ...fallback }).added[key]).toBeUndefined();
  expect(plan({ [profile]: "decommission", [key]: "0" }).added[key]).toBeUndefined();
});

test("recommended settings of the user take precedence", () => {
  const settings = {
    [profile]: "service",
    "spark.dynamicAllocation.enabled": "false",
    "spark.shuffle.io.maxRetries": "9",
  };
  const { conf, messages } = plan(settings);
  expect(messages).toEqual([]);
  for (const [key, value] of Object.entries(settings)) expect(conf.text(key)).toBe(value);
});

test.each<[Settings, string]>([
  [
    { [profile]: "service", "spark.blockManager.port": "7079" },
    "spark.blockManager.port is 7079, but spark.firesteel.shuffle=service needs 0.",
  ],
  [
    { [profile]: "tracking", "spark.shuffle.service.enabled": "true" },
    "spark.shuffle.service.enabled is true, but spark.firesteel.shuffle=tracking needs false.",
  ],
  [
    { [profile]: "service", "spark.authenticate": "true", "spark.authenticate.secret": "text" },
    "spark.firesteel.shuffle=service is incomplete: spark.authenticate: without a file, the driver generates a secret that the shuffle service does not know.",
  ],
  [
    {
      ...{ [profile]: "service", "spark.authenticate": "true", "spark.authenticate.secret.file": "/s" },
      "spark.executorEnv.JDK_JAVA_OPTIONS": "-Dx=y",
    },
    "spark.firesteel.shuffle=service is incomplete: spark.executorEnv.JDK_JAVA_OPTIONS: executors read a file with a secret only if they know that they run on Kubernetes.",
  ],
  [
    {
      [profile]: "service",
      "spark.kubernetes.executor.volumes.emptyDir.spark-local-dir-1.mount.path": "/local",
    },
    "spark.firesteel.shuffle=service is incomplete: spark.kubernetes.executor.volumes.emptyDir.spark-local-dir-1.mount.path: the files of a volume emptyDir end with its executor, or are not visible for the service.",
  ],
  [
    { [profile]: "plugin" },
    "spark.firesteel.shuffle=plugin is incomplete: spark.shuffle.sort.io.plugin.class: no plugin is set.",
  ],
  [
    { [profile]: "plugin", "spark.shuffle.manager": "org.apache.spark.shuffle.RssShuffleManager" },
    "spark.firesteel.shuffle=plugin is incomplete: spark.rss.coordinator.quorum: the client of Apache Uniffle has no address.",
  ],
  [
    { [profile]: "decommission", "spark.storage.decommission.fallbackStorage.path": "s3a://b/p" },
    "spark.firesteel.shuffle=decommission is incomplete: spark.storage.decommission.fallbackStorage.path: the driver rejects s3a://b/p, which does not end with a slash.",
  ],
  [
    { "spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.shuffleTracking.enabled": "false" },
    "The driver rejects dynamic allocation with spark.dynamicAllocation.shuffleTracking.enabled=false, because nothing else keeps the shuffle data of executors that it removes.",
  ],
])("%j is rejected", (settings, message) => {
  const { messages, codes, hints } = plan(settings);
  const code = / is incomplete: /.test(message)
    ? "SUBMIT_ERR_SHUFFLE_PROFILE_INCOMPLETE"
    : "SUBMIT_ERR_SHUFFLE_PROFILE";
  expect(codes).toEqual([message.startsWith("The driver rejects") ? "SUBMIT_ERR_SHUFFLE_ALLOCATION" : code]);
  expect(messages).toEqual([message]);
  expect(hints).not.toContain(undefined);
});

const dynamic = { "spark.dynamicAllocation.enabled": "true" };

test.each<[Settings, string]>([
  [
    { ...dynamic, "spark.dynamicAllocation.minExecutors": "5", "spark.dynamicAllocation.maxExecutors": "2" },
    "The driver rejects spark.dynamicAllocation.minExecutors=5: the maximum is 2.",
  ],
  [
    { ...dynamic, "spark.dynamicAllocation.minExecutors": "-1" },
    "The driver rejects spark.dynamicAllocation.minExecutors=-1: it is negative.",
  ],
  [
    { ...dynamic, "spark.dynamicAllocation.maxExecutors": "0" },
    "The driver rejects spark.dynamicAllocation.maxExecutors=0: it is less than 1.",
  ],
  [
    { ...dynamic, "spark.executor.instances": "3", "spark.dynamicAllocation.maxExecutors": "2" },
    "The driver rejects spark.executor.instances=3: dynamic allocation starts with it, but the maximum is 2.",
  ],
  [
    {
      [profile]: "tracking",
      "spark.dynamicAllocation.initialExecutors": "3",
      "spark.dynamicAllocation.maxExecutors": "2",
    },
    "The driver rejects spark.dynamicAllocation.initialExecutors=3: dynamic allocation starts with it, but the maximum is 2.",
  ],
  [
    { ...dynamic, "spark.dynamicAllocation.schedulerBacklogTimeout": "500ms" },
    "The driver rejects spark.dynamicAllocation.schedulerBacklogTimeout=500ms: it must be at least one second.",
  ],
  [
    { ...dynamic, "spark.dynamicAllocation.executorAllocationRatio": "1.5" },
    "The driver rejects spark.dynamicAllocation.executorAllocationRatio=1.5: it is not more than 0 and at most 1.",
  ],
])("%j contradicts itself", (settings, message) => {
  const { messages, codes, hints } = plan(settings);
  expect(messages).toEqual([message]);
  expect(codes).toEqual(["SUBMIT_ERR_ALLOCATION_LIMIT"]);
  expect(hints).not.toContain(undefined);
  const off = { ...settings, "spark.dynamicAllocation.enabled": "false" };
  expect(plan(off).messages).toEqual([]);
});

test("of the service needs a template of the user's in client mode", () => {
  expect(plan({ [profile]: "service" }, undefined, "client").messages).toEqual([
    "spark.firesteel.shuffle=service is incomplete: spark.kubernetes.executor.podTemplateFile: in client mode, executors need a template with hostNetwork: true and dnsPolicy: ClusterFirstWithHostNet.",
  ]);
  const template = { "spark.kubernetes.executor.podTemplateFile": "/t.yaml" };
  expect(plan({ [profile]: "service", ...template }, undefined, "client").messages).toEqual([]);
});

test("rejects unknown profiles and directories", () => {
  const { messages } = plan({ [profile]: "services", "spark.firesteel.shuffle.directories": "spark" });
  expect(messages).toHaveLength(2);
  expect(messages[0]).toContain("tracking, decommission, service, plugin");
});

test("leaves the check of dynamic allocation to the driver if Spark's client does", () => {
  const settings = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "false",
  };
  expect(planShuffle(testRequest({ settings }).conf, { mode: "cluster", behaviors: sparkBehaviors }).issues).toEqual(
    [],
  );
});

const limited = { "spark.dynamicAllocation.maxExecutors": "2" };
const moving = { "spark.decommission.enabled": "true", "spark.storage.decommission.enabled": "true" };

test.each<[Settings, SparkLine, string]>([
  [
    { "spark.shuffle.service.enabled": "true" },
    "4.3",
    "spark.shuffle.service.enabled is true: each executor registers with a shuffle service at its own address, and ends if there is none.",
  ],
  [
    {
      "spark.dynamicAllocation.enabled": "true",
      "spark.dynamicAllocation.shuffleTracking.enabled": "false",
      "spark.dynamicAllocation.maxExecutors": "2",
      "spark.decommission.enabled": "true",
    },
    "4.3",
    "spark.decommission.enabled is true, but executors that dynamic allocation removes do not move their shuffle data.",
  ],
  [
    {
      "spark.shuffle.service.enabled": "true",
      "spark.kubernetes.executor.podTemplateFile": "/t.yaml",
      "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-1.mount.path": "/l",
      ...moving,
    },
    "4.3",
    "spark.storage.decommission.enabled is true, so executors move files that the shuffle service serves.",
  ],
  [{ [profile]: "tracking" }, "4.3", "spark.dynamicAllocation.maxExecutors is not set"],
  [dynamic, "4.3", "spark.dynamicAllocation.maxExecutors is not set"],
  [
    { [profile]: "tracking", ...limited, ...moving },
    "4.3",
    "spark.decommission.enabled is true, but idle executors with shuffle data stay, because of spark.firesteel.shuffle=tracking.",
  ],
  [
    { ...dynamic, ...limited, ...moving },
    "4.3",
    "spark.decommission.enabled is true, but idle executors with shuffle data stay, because spark.dynamicAllocation.shuffleTracking.enabled is true by default.",
  ],
  [
    { ...dynamic, ...limited, "spark.shuffle.sort.io.plugin.class": "org.example.Remote" },
    "4.3",
    "spark.shuffle.sort.io.plugin.class is set, but idle executors with shuffle data stay, because spark.dynamicAllocation.shuffleTracking.enabled is true by default.",
  ],
  [
    {
      [profile]: "decommission",
      "spark.dynamicAllocation.maxExecutors": "2",
      "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    },
    "4.3",
    "spark.dynamicAllocation.shuffleTracking.enabled is true, so idle executors stay",
  ],
  [
    {
      [profile]: "plugin",
      "spark.dynamicAllocation.maxExecutors": "2",
      "spark.shuffle.manager": "org.apache.spark.shuffle.celeborn.SparkShuffleManager",
      "spark.celeborn.master.endpoints": "c:9097",
      "spark.jars": "local:///opt/celeborn-client-spark-3-shaded_2.12-0.5.4.jar",
    },
    "3.5",
    "Executors of Spark 3.5 create the shuffle manager before they fetch spark.jars",
  ],
])("%j on %s warns", (settings, line, text) => {
  const { warnings, messages } = plan(settings, line);
  expect(messages).toEqual([]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(text);
});

test("does not warn about a service whose executors are prepared", () => {
  const volume = "spark.kubernetes.executor.volumes.hostPath.spark-local-dir-1";
  const settings = {
    "spark.shuffle.service.enabled": "true",
    "spark.kubernetes.executor.podTemplateFile": "/t.yaml",
    [`${volume}.mount.path`]: "/l",
    [`${volume}.options.path`]: "/l",
  };
  expect(plan(settings).warnings).toEqual([]);
});
