import { describe, expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { render } from "./render.ts";

function invocationOf(fields: SubmitInvocation["fields"]): SubmitInvocation {
  return {
    ...{
      action: "submit",
      resource: "local:///app.jar",
      appArgs: [],
      isExample: false,
      forwardedOptions: [],
    },
    fields: { mainClass: "M", ...fields },
    settings: [{ key: "spark.kubernetes.container.image", value: "img:1", origin: { kind: "conf" } }],
    ...{ propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false, supervise: false },
    verbose: false,
  };
}

async function codesOf(run: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isSubmitError(error) ? error.issues.map(({ code }) => code) : [String(error)];
}

function rendered(fields: SubmitInvocation["fields"]) {
  return render({ host: testHost(), log: () => {}, invocation: invocationOf(fields) }, { seed: "seed" });
}

describe("render", () => {
  test("returns the request and the driver of a submission to Kubernetes", async () => {
    const { request, driver } = await rendered({ master: "k8s://https://h", deployMode: "cluster" });
    expect([request.apiServer, driver.appName]).toEqual(["https://h", "M"]);
  });

  test("rejects masters without objects, after the problems of values", async () => {
    const cluster = { master: "spark://h:1", deployMode: "cluster" };
    expect(await codesOf(rendered(cluster))).toEqual(["SUBMIT_ERR_MASTER_NOT_SERVED"]);
    expect(await codesOf(rendered({ ...cluster, driverCores: "0" }))).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE",
      "SUBMIT_ERR_MASTER_NOT_SERVED",
    ]);
  });

  test("reports an invalid master instead", async () => {
    expect(await codesOf(rendered({ master: "nowhere" }))).toEqual(["SUBMIT_ERR_MASTER_UNKNOWN"]);
  });
});
