import { describe, expect, test } from "vitest";
import { sparkLog } from "../host/log.ts";
import { type TestHost, testHost } from "../host/test-host.ts";
import type { StrategyName } from "../plan/cluster-manager.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { type ResolvedSubmission, resolveSubmission } from "../resolve/resolve-submission.ts";
import { loadStrategy } from "./strategies.ts";

function invocationOf(fields: SubmitInvocation["fields"]): SubmitInvocation {
  return {
    action: "submit",
    resource: "local:///app.jar",
    appArgs: [],
    isExample: false,
    forwardedOptions: [],
    fields: { mainClass: "M", ...fields },
    settings: [{ key: "other.key", value: "1", origin: { kind: "conf" } }],
    ...{ propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false, supervise: false },
    verbose: true,
  };
}

interface Resolved {
  readonly submission: ResolvedSubmission;
  readonly host: TestHost;
}

async function resolved(
  fields: SubmitInvocation["fields"],
  env: Readonly<Record<string, string>> = {},
): Promise<Resolved> {
  const host = testHost({ env: { HADOOP_CONF_DIR: "/h", FIRESTEEL_SPARK_VERSION: "4.3.0", ...env } });
  const submission = await resolveSubmission({ host, log: sparkLog(host), invocation: invocationOf(fields) });
  return { submission, host };
}

async function strategyOf(
  fields: SubmitInvocation["fields"],
  env?: Readonly<Record<string, string>>,
): Promise<StrategyName> {
  return (await resolved(fields, env)).submission.master.strategy;
}

describe("the strategy of a submission", () => {
  test("is that of the cluster manager in cluster mode", async () => {
    const deployMode = "cluster";
    expect(await strategyOf({ master: "k8s://https://h:1", deployMode })).toBe("kubernetes");
    expect(await strategyOf({ master: "spark://h:1", deployMode })).toBe("standalone");
    expect(await strategyOf({ master: "mesos://h:1", deployMode }, { FIRESTEEL_SPARK_VERSION: "3.5.9" })).toBe("mesos");
    expect(await strategyOf({ master: "yarn", deployMode })).toBe("yarn");
  });

  test("is the JVM in client mode and for local masters", async () => {
    expect(await strategyOf({})).toBe("jvm");
    for (const master of ["local[2]", "spark://h:1", "yarn", "k8s://https://h:1"])
      expect(await strategyOf({ master })).toBe("jvm");
  });

  test("is the JVM for YARN, with exactly Spark's behavior and a local Spark", async () => {
    const env = { FIRESTEEL_STRICT: "1", SPARK_HOME: "/spark" };
    expect(await strategyOf({ master: "yarn", deployMode: "cluster" }, env)).toBe("jvm");
    expect(await strategyOf({ master: "yarn", deployMode: "cluster" }, { FIRESTEEL_STRICT: "1" })).toBe("yarn");
  });

  test("is chosen before anything is printed", async () => {
    expect((await resolved({})).host.errorText()).toBe("");
  });
});

describe("loadStrategy", () => {
  test("loads a strategy for each name", async () => {
    for (const name of ["kubernetes", "standalone", "mesos", "yarn", "jvm"] as const)
      expect((await loadStrategy(name)).submit).toBeInstanceOf(Function);
  });
});
