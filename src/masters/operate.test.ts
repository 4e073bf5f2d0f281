import { describe, expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { operate } from "./operate.ts";

interface Machine {
  readonly master?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Performs a `--kill` with a Kubernetes client that throws "Kubernetes". */
async function errorOf({ master, env = {}, files = {} }: Machine) {
  const host = testHost({ env, files });
  const error: unknown = await operate({
    host,
    invocation: {
      ...{ action: "kill", submissionId: "ns:drv", settings: [], propertiesFile: undefined },
      ...{ extraPropertiesFiles: [], loadsDefaults: false, supervise: false, verbose: false },
      fields: master === undefined ? {} : { master },
    },
    openClient: () => Promise.reject(new Error("Kubernetes")),
  }).catch((reason: unknown) => reason);
  return isSubmitError(error) ? error.issues[0] : String(error);
}

function noOperations(master: string) {
  return {
    code: "SUBMIT_ERR_NO_OPERATIONS",
    message: `No external SparkSubmitOperations clients found for master url: '${master}'`,
  };
}

describe("an operation", () => {
  test("is rejected for masters without operations", async () => {
    expect(await errorOf({})).toMatchObject(noOperations("local[*]"));
    for (const master of ["k8s:foo", "mesos://h:1", "spark-h"])
      expect(await errorOf({ master })).toMatchObject(noOperations(master));
  });

  test("is rejected for YARN, with exactly Spark's behavior", async () => {
    const env = { FIRESTEEL_STRICT: "1" };
    expect(await errorOf({ master: "yarn", env })).toMatchObject(noOperations("yarn"));
  });

  test("reaches the strategies of YARN, standalone and Mesos masters", async () => {
    expect(await errorOf({ master: "yarn" })).toMatchObject({ code: "SUBMIT_ERR_YARN_APP_ID" });
    const empty = { master: "spark://" };
    expect(await errorOf(empty)).not.toMatchObject({ code: "SUBMIT_ERR_NO_OPERATIONS" });
    const env = { FIRESTEEL_SPARK_VERSION: "3.5" };
    expect(await errorOf({ master: "mesos://", env })).not.toMatchObject({
      code: "SUBMIT_ERR_NO_OPERATIONS",
    });
  });

  test("takes the master from the defaults or the environment", async () => {
    const files = { "/conf/spark-defaults.conf": "spark.master k8s://h" };
    expect(await errorOf({ env: { SPARK_CONF_DIR: "/conf" }, files })).toBe("Error: Kubernetes");
    expect(await errorOf({ env: { MASTER: "k8s://h" } })).toBe("Error: Kubernetes");
  });
});
