import { describe, expect, test } from "vitest";
import { type TestHost, testHost } from "../host/test-host.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import type { ResolvedSubmission } from "../resolve/resolve-settings.ts";
import { submitAnywhere } from "./kubernetes/submit-anywhere.ts";
import { strategyOf } from "./strategies.ts";

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

interface Given {
  readonly submission: ResolvedSubmission;
  readonly host: TestHost;
}

async function givenElsewhere(fields: SubmitInvocation["fields"], sparkVersion = "4.3.0"): Promise<Given> {
  const host = testHost({ env: { HADOOP_CONF_DIR: "/h", FIRESTEEL_SPARK_VERSION: sparkVersion } });
  const given: ResolvedSubmission[] = [];
  await submitAnywhere({ host, invocation: invocationOf(fields) }, async (one) => given.push(one));
  const [submission] = given;
  if (submission === undefined) throw new Error("it was not given on");
  return { submission, host };
}

async function placeOf(fields: SubmitInvocation["fields"], sparkVersion?: string) {
  return (await givenElsewhere(fields, sparkVersion)).submission.master.place;
}

describe("a submission that is not for Kubernetes in cluster mode", () => {
  test("goes to the gateway of a standalone master, to YARN or to a JVM", async () => {
    const cluster = { deployMode: "cluster" };
    expect(await placeOf({ master: "spark://h:1", ...cluster })).toBe("rest");
    expect(await placeOf({ master: "mesos://h:1", ...cluster }, "3.5.9")).toBe("rest");
    expect(await placeOf({ master: "yarn", ...cluster })).toBe("yarn");
    expect(await placeOf({})).toBe("jvm");
    for (const master of ["local[2]", "spark://h:1", "yarn", "k8s://https://h:1"])
      expect(await placeOf({ master })).toBe("jvm");
  });

  test("is given on before anything of it is told", async () => {
    expect((await givenElsewhere({})).host.errorText()).toBe("");
  });
});

test("every place has its strategy", async () => {
  for (const place of ["jvm", "rest", "yarn"] as const)
    expect((await strategyOf(place)).submit).toBeInstanceOf(Function);
});
