import { expect, test } from "vitest";
import { isSubmitError } from "../../../errors/submit-error.ts";
import { testHost } from "../../../host/test-host.ts";
import { operate } from "./operate.ts";

interface Asked {
  readonly master?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

async function rejectionError({ master, env = {}, files = {} }: Asked) {
  const host = testHost({ env, files });
  const given = { settings: [], propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false };
  const fields = master === undefined ? {} : { master };
  const rest = { fields, ...given, supervise: false, verbose: false };
  const error: unknown = await operate({
    host,
    invocation: { action: "kill", submissionId: "ns:drv", ...rest },
    openClient: () => Promise.reject(new Error("Kubernetes")),
  }).catch((reason: unknown) => reason);
  return isSubmitError(error) ? error.issues[0] : String(error);
}

test("for other masters Spark has no such operation, or it is not served here", async () => {
  const none = (master: string) =>
    `No external SparkSubmitOperations clients found for master url: '${master}'`;
  expect(await rejectionError({})).toMatchObject({
    code: "SUBMIT_ERR_NO_OPERATIONS",
    message: none("local[*]"),
  });
  const strict = { FIRESTEEL_STRICT: "1" };
  expect(await rejectionError({ master: "yarn", env: strict })).toMatchObject({ message: none("yarn") });
  expect(await rejectionError({ master: "yarn" })).toMatchObject({ code: "SUBMIT_ERR_MASTER_NOT_SERVED" });
  expect(await rejectionError({ master: "k8s:foo" })).toMatchObject({ message: none("k8s:foo") });
  expect(await rejectionError({ master: "mesos://h:1" })).toMatchObject({ message: none("mesos://h:1") });
  const old = { FIRESTEEL_SPARK_VERSION: "3.5" };
  expect(await rejectionError({ master: "mesos://h:1", env: old })).toMatchObject({
    code: "SUBMIT_ERR_MASTER_NOT_SERVED",
  });
  expect(await rejectionError({ master: "spark://h:1" })).toMatchObject({
    code: "SUBMIT_ERR_MASTER_NOT_SERVED",
  });
});

test("the master may come from the defaults or the environment", async () => {
  const files = { "/conf/spark-defaults.conf": "spark.master k8s://h" };
  expect(await rejectionError({ env: { SPARK_CONF_DIR: "/conf" }, files })).toBe("Error: Kubernetes");
  expect(await rejectionError({ env: { MASTER: "k8s://h" } })).toBe("Error: Kubernetes");
});
