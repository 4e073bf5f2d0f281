import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../conf/behaviors.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { parseSparkVersion } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import type { KubernetesOutcome } from "./submit-outcome.ts";
import { withMainExitMessage } from "./with-main-exit-message.ts";

type End = KubernetesOutcome["end"];

/** What is told of an exit, and what is thrown. */
async function ended(value: string, run: End | Error, version = "4.1.4") {
  const host = testHost();
  const origin = { kind: "conf" } as const;
  const setting = { key: "spark.submit.callSystemExitOnMainExit", value, origin };
  const spoken = parseSparkVersion(version);
  if (spoken === undefined) throw new Error(version);
  const conf = new SparkConf([setting], spoken, { env: {}, defaults: () => undefined });
  const about = {
    master: "k8s://h",
    appName: "n",
    appId: "",
    namespace: "",
    podName: "",
    behaviors: behaviorsOf({}),
  };
  const submission = async () => {
    if (run instanceof Error) throw run;
    return { ...about, end: run };
  };
  const thrown = await withMainExitMessage(host, conf, submission).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { told: host.errorText(), thrown };
}

const line = (code: number) =>
  `Calling System.exit() with exit code ${code} because spark.submit.callSystemExitOnMainExit=true\n`;

describe("where Spark's main method is to end its JVM", () => {
  test.each([
    ["4.0.5", ""],
    ["4.1.4", line(0)],
    ["4.3.0", line(0)],
  ])("Spark %s tells %j", async (version, told) => {
    expect(await ended("true", { kind: "notAwaited" }, version)).toEqual({ told, thrown: undefined });
  });

  test("a failure is told after its exit code", async () => {
    const told = await ended("true", submitError("SUBMIT_ERR_NOTHING_TO_SUBMIT", {}));
    expect(told).toEqual({ told: line(1), thrown: "These arguments do not describe a submission." });
  });

  test("an interruption is the end of all", async () => {
    const end: End = { kind: "interrupted", signal: "SIGINT", driver: "running", left: [] };
    expect((await ended("true", end)).told).toBe("");
  });

  test("nothing is told where that is not asked for, and what is no answer is refused at the end", async () => {
    expect(await ended("false", { kind: "notAwaited" })).toEqual({ told: "", thrown: undefined });
    const { told, thrown } = await ended("ab", { kind: "notAwaited" });
    expect(told).toBe("");
    expect(thrown).toContain("It should be a/an 'boolean' value.");
  });
});
