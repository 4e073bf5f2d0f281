import { expect, test } from "vitest";
import { SparkConf } from "../../conf/spark-conf.ts";
import { checkDynamicAllocation } from "./check-dynamic-allocation.ts";

function confOf(values: Readonly<Record<string, string>>): SparkConf {
  const settings = Object.entries(values).map(([key, value]) => ({ key, value, origin: { kind: "conf" as const } }));
  return new SparkConf(settings, { line: "4.3", text: "4.3.0" }, { env: {}, defaults: () => undefined });
}

const dynamic = { "spark.dynamicAllocation.enabled": "true" };
const untracked = { ...dynamic, "spark.dynamicAllocation.shuffleTracking.enabled": "false" };
const decommission = { ...untracked, "spark.decommission.enabled": "true" };

test.each<[Readonly<Record<string, string>>, string]>([
  [{}, "ok It is off."],
  [dynamic, "ok The settings of dynamic allocation are consistent."],
  [
    untracked,
    "failure The driver rejects dynamic allocation with spark.dynamicAllocation.shuffleTracking.enabled=false, because nothing else keeps the shuffle data of executors that it removes.",
  ],
  [
    decommission,
    "warning Executors that dynamic allocation removes do not move their shuffle data: its stages run again.",
  ],
  [
    { ...decommission, "spark.storage.decommission.enabled": "true" },
    "ok The settings of dynamic allocation are consistent.",
  ],
  [
    { ...untracked, "spark.shuffle.sort.io.plugin.class": "org.example.Remote" },
    "ok The settings of dynamic allocation are consistent.",
  ],
  [
    { ...dynamic, "spark.dynamicAllocation.minExecutors": "5", "spark.dynamicAllocation.maxExecutors": "2" },
    "failure The driver rejects spark.dynamicAllocation.minExecutors=5: the maximum is 2.",
  ],
  [
    { ...dynamic, "spark.dynamicAllocation.maxExecutors": "0" },
    "failure The driver rejects spark.dynamicAllocation.maxExecutors=0: it is less than 1.",
  ],
  [
    { "spark.shuffle.service.enabled": "true" },
    "warning Each executor registers with a shuffle service on its node, and ends if there is none.",
  ],
])("%j: %s", (settings, text) => {
  const findings = checkDynamicAllocation(confOf(settings));
  expect(findings.map(({ status, reason }) => `${status} ${reason}`)).toEqual([text]);
});

test("reports all invalid values", () => {
  const settings = { "spark.dynamicAllocation.enabled": "yes", "spark.dynamicAllocation.initialExecutors": "many" };
  expect(checkDynamicAllocation(confOf(settings)).map(({ status }) => status)).toEqual(["failure", "failure"]);
});
