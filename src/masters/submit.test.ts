import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { submit } from "./submit.ts";

test("submit uses the strategy of the master, here that of a JVM without a local Spark", async () => {
  const invocation: SubmitInvocation = {
    ...{
      action: "submit",
      resource: "local:///app.jar",
      appArgs: [],
      isExample: false,
      forwardedOptions: [],
    },
    ...{ fields: { mainClass: "M", master: "local[2]" }, settings: [], propertiesFile: undefined },
    ...{ extraPropertiesFiles: [], loadsDefaults: false, supervise: false, verbose: false },
  };
  await expect(submit({ host: testHost(), invocation })).rejects.toMatchObject({
    code: "SUBMIT_ERR_SPARK_NEEDED",
  });
});
