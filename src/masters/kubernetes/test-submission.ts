import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import type { Pod } from "../../kube/types.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, type Fault, type TestApi, testApi } from "../../kube-client/test-api.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import { submit } from "../submit.ts";
import type { SubmitOutcome } from "../submit-outcome.ts";

interface TestSubmission {
  readonly host: TestHost;
  readonly api: TestApi;
  readonly logged: string[];
  readonly run: () => Promise<SubmitOutcome>;
}

/** Prepares a submission to an in-memory API. */
export function prepareSubmission(
  conf: Readonly<Record<string, string>>,
  {
    fault,
    env = {},
    files = {},
  }: {
    fault?: (host: TestHost) => Fault;
    env?: Record<string, string>;
    files?: Record<string, string>;
  } = {},
): TestSubmission {
  const host = testHost({ env, files });
  const api = testApi(fault?.(host));
  const logged: string[] = [];
  const settings = {
    "spark.kubernetes.container.image": "img:1",
    "spark.kubernetes.driver.pod.name": "drv",
    ...conf,
  };
  const invocation: SubmitInvocation = {
    action: "submit",
    resource: "local:///app.jar",
    appArgs: [],
    isExample: false,
    forwardedOptions: [],
    fields: { master: "k8s://https://h", deployMode: "cluster", mainClass: "M" },
    settings: Object.entries(settings).map(([key, value]) => ({ key, value, origin: { kind: "conf" } })),
    propertiesFile: undefined,
    extraPropertiesFiles: [],
    loadsDefaults: false,
    supervise: false,
    verbose: false,
  };
  const run = () =>
    host.settle(
      submit({
        host,
        invocation,
        log: (level, logger, text) => logged.push(`${level} ${logger}: ${text}`),
        openClient: async (_host, { server }) =>
          kubeClient({
            transport: api.transport,
            server,
            clock: host.clock,
            requestTimeoutMs: 5000,
            log: () => {},
          }),
      }),
    );
  return { host, api, logged, run };
}

/** Key of the setting that waits for the driver's end. */
export const waitSetting = "spark.kubernetes.submission.waitAppCompletion";

/** Path of the driver's pod. */
export const driverPath = "/api/v1/namespaces/default/pods/drv";

/** Responds to a watch with one state of the driver. */
export function respondToWatch(status: NonNullable<Pod["status"]>): Fault {
  return ({ path }) => {
    if (!path.includes("watch=")) return undefined;
    const metadata = { name: "drv", namespace: "default", uid: "uid-4", resourceVersion: "9" };
    return {
      status: 200,
      stream: chunks(`${JSON.stringify({ type: "MODIFIED", object: { metadata, status } })}\n`),
    };
  };
}

/** Returns the error codes of a run that is rejected. */
export async function codesOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isSubmitError(error) ? error.issues.map(({ code }) => code) : [String(error)];
}
