import { expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { refuseOperation } from "./refuse-operation.ts";

interface Asked {
  readonly master?: string;
  readonly id?: string;
  readonly action?: "kill" | "status";
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

function refusalOf({ master, id = "ns:drv", action = "kill", env = {}, files = {} }: Asked) {
  const host = testHost({ env, files });
  const given = { settings: [], propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false };
  const fields = master === undefined ? {} : { master };
  try {
    refuseOperation(host, { action, submissionId: id, fields, ...given, supervise: false, verbose: false });
  } catch (error) {
    if (isSubmitError(error)) return error.issues[0];
    throw error;
  }
}

test("on Kubernetes the kubectl line is told", () => {
  expect(refusalOf({ master: "k8s://h" })).toMatchObject({
    code: "SUBMIT_ERR_KILL_NOT_SERVED",
    hint: "Delete the driver: kubectl delete pod --namespace ns drv",
  });
  expect(refusalOf({ master: "k8s://h", action: "status", id: "drv" })).toMatchObject({
    code: "SUBMIT_ERR_STATUS_NOT_SERVED",
    hint: "Look at the driver: kubectl get pod --namespace default drv -o yaml",
  });
});

test("elsewhere Spark has no such operation, or it is not served here", () => {
  const none = (master: string) =>
    `No external SparkSubmitOperations clients found for master url: '${master}'`;
  expect(refusalOf({})).toMatchObject({ code: "SUBMIT_ERR_NO_OPERATIONS", message: none("local[*]") });
  expect(refusalOf({ master: "yarn" })).toMatchObject({ message: none("yarn") });
  expect(refusalOf({ master: "spark://h:1" })).toMatchObject({ code: "SUBMIT_ERR_MASTER_NOT_SERVED" });
});

test("the master may come from the defaults or the environment", () => {
  const files = { "/conf/spark-defaults.conf": "spark.master k8s://h" };
  expect(refusalOf({ env: { SPARK_CONF_DIR: "/conf" }, files })?.code).toBe("SUBMIT_ERR_KILL_NOT_SERVED");
  expect(refusalOf({ env: { MASTER: "k8s://h" } })?.code).toBe("SUBMIT_ERR_KILL_NOT_SERVED");
});
