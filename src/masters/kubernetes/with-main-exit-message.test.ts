import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../conf/behaviors.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { parseSparkVersion } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import { withMainExitMessage } from "./with-main-exit-message.ts";

type End = KubernetesOutcome["end"];

/** Returns the printed exit message and the thrown error. */
async function ended(value: string, run: End | Error, version = "4.1.4") {
  const host = testHost();
  const origin = { kind: "conf" } as const;
  const setting = { key: "spark.submit.callSystemExitOnMainExit", value, origin };
  const sparkVersion = parseSparkVersion(version);
  if (sparkVersion === undefined) throw new Error(version);
  const conf = new SparkConf([setting], sparkVersion, { env: {}, defaults: () => undefined });
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
  return { printed: host.errorText(), thrown };
}

const line = (code: number) =>
  `Calling System.exit() with exit code ${code} because spark.submit.callSystemExitOnMainExit=true\n`;

describe("a main method that ends its JVM", () => {
  test.each([
    ["4.0.5", ""],
    ["4.1.4", line(0)],
    ["4.3.0", line(0)],
  ])("prints in Spark %s: %j", async (version, printed) => {
    expect(await ended("true", { kind: "notAwaited", pod: {} }, version)).toEqual({ printed, thrown: undefined });
  });

  test("prints the exit code before a failure", async () => {
    const printed = await ended("true", submitError("SUBMIT_ERR_NOTHING_TO_SUBMIT", {}));
    expect(printed).toEqual({ printed: line(1), thrown: "These arguments do not describe a submission." });
  });

  test("prints nothing after an interruption", async () => {
    const end: End = { kind: "interrupted", signal: "SIGINT", driver: "running", left: [] };
    expect((await ended("true", end)).printed).toBe("");
  });

  test("prints nothing without the setting, and rejects an invalid value at the end", async () => {
    expect(await ended("false", { kind: "notAwaited", pod: {} })).toEqual({ printed: "", thrown: undefined });
    const { printed, thrown } = await ended("ab", { kind: "notAwaited", pod: {} });
    expect(printed).toBe("");
    expect(thrown).toContain("It should be a/an 'boolean' value.");
  });
});
