import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import type { Pod } from "../../kube/types.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, type Fault, refused, type TestApi, testApi } from "../../kube-client/test-api.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import { submit } from "../submit.ts";
import type { SubmitOutcome } from "../submit-outcome.ts";

interface SubmissionRun {
  readonly host: TestHost;
  readonly api: TestApi;
  readonly logged: string[];
  readonly run: () => Promise<SubmitOutcome>;
}

function submission(
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
): SubmissionRun {
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

const wait = "spark.kubernetes.submission.waitAppCompletion";
const pod = "/api/v1/namespaces/default/pods/drv";

/** Responds to a watch with one state of the driver. */
function watched(status: NonNullable<Pod["status"]>): Fault {
  return ({ path }) => {
    if (!path.includes("watch=")) return undefined;
    const metadata = { name: "drv", namespace: "default", uid: "uid-4", resourceVersion: "9" };
    return {
      status: 200,
      stream: chunks(`${JSON.stringify({ type: "MODIFIED", object: { metadata, status } })}\n`),
    };
  };
}

async function codesOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isSubmitError(error) ? error.issues.map(({ code }) => code) : [String(error)];
}

describe("a submission", () => {
  test("creates the driver with its objects and logs that, without waiting", async () => {
    const { api, logged, run } = submission({ [wait]: "false" });
    expect(await run()).toMatchObject({ end: { kind: "notAwaited" }, namespace: "default", podName: "drv" });
    expect([...api.objects.keys()].map((path) => path.split("/").at(-2)).sort()).toEqual([
      "configmaps",
      "networkpolicies",
      "pods",
      "services",
    ]);
    expect(logged.at(-1)).toMatch(
      /^INFO Client: Deployed Spark application M with application ID spark-\w+ and submission ID default:drv into Kubernetes$/,
    );
  });

  test("returns the outcome of its driver", async () => {
    const terminated = { exitCode: 3, reason: "Error" };
    const containerStatuses = [
      {
        name: "spark-kubernetes-driver",
        image: "img:1",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated },
      },
    ];
    const { run, logged } = submission({}, { fault: () => watched({ phase: "Failed", containerStatuses }) });
    expect((await run()).end).toMatchObject({ kind: "failed", exitCode: 3, reason: "Error" });
    expect(logged.at(-1)).toMatch(/finished$/);
  });

  test("rejects an invalid namespace early, except with exactly Spark's behavior", async () => {
    for (const [strict, objects] of [
      ["", 0],
      ["1", 4],
    ] as const) {
      const settings = { "spark.kubernetes.namespace": "a;b", [wait]: "false" };
      const { api, run } = submission(settings, { env: { FIRESTEEL_STRICT: strict } });
      expect(await codesOf(run)).toEqual(objects === 0 ? ["SUBMIT_ERR_SETTING_NAME"] : ["undefined"]);
      expect(api.objects.size).toBe(objects);
    }
  });

  test("leaves no object if the API rejects it", async () => {
    const fault: Fault = ({ method }) => (method === "POST" ? refused(403, "pods is forbidden") : undefined);
    const { api, run } = submission({}, { fault: () => fault });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(api.objects.size).toBe(0);
  });

  test("uploads local files, and removes them if the API rejects it", async () => {
    const conf = { [wait]: "false", "spark.files": "/a.txt", "spark.kubernetes.file.upload.path": "/shared" };
    const files = { "/a.txt": "a" };
    const good = submission(conf, { files });
    await good.run();
    const [directory = ""] = good.host.files.list("/shared") ?? [];
    const path = `/shared/${directory}/a.txt`;
    expect(good.host.files.readText(path)).toBe("a");
    expect(JSON.stringify([...good.api.objects.values()])).toContain(`spark.files=${path}\\n`);
    const fault: Fault = ({ method }) => (method === "POST" ? refused(403, "pods is forbidden") : undefined);
    const bad = submission(conf, { files, fault: () => fault });
    expect(await codesOf(bad.run)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(bad.host.files.list("/shared")).toEqual([]);
  });

  test("stores small local files in a Secret, and removes it if the API rejects it", async () => {
    const conf = { [wait]: "false", "spark.files": "/a.txt" };
    const files = { "/a.txt": "some text" };
    const secretOf = (api: { objects: ReadonlyMap<string, unknown> }) =>
      [...api.objects].filter(([path]) => path.includes("/secrets/")).map(([, object]) => object);
    const good = submission(conf, { files });
    await good.run();
    const digest = "b94f6f125c79e3a5ffaa826f584c10d52ada669e6762051b826b55776d05aed2";
    expect(secretOf(good.api)).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: "Pod" }] },
        data: { [`sha256-${digest}`]: Buffer.from("some text").toString("base64") },
      },
    ]);
    expect(good.logged.join("\n")).toContain("go to the driver in Secrets; it finds them in /opt/spark-deps");
    const fault: Fault = ({ method }) => (method === "POST" ? refused(403, "pods is forbidden") : undefined);
    const bad = submission(conf, { files, fault: () => fault });
    expect(await codesOf(bad.run)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(bad.api.objects.size).toBe(0);
  });

  test("requires an upload path, with exactly Spark's behavior", async () => {
    const env = { FIRESTEEL_STRICT: "1" };
    const conf = { "spark.files": "/a.txt", "spark.firesteel.staging.transport": "secret" };
    expect(await codesOf(submission(conf, { files: { "/a.txt": "a" }, env }).run)).toEqual([
      "SUBMIT_ERR_UPLOAD_PATH_MISSING",
    ]);
  });

  test.each([
    ["", 1],
    ["1", 0],
  ])("warns about an ignored setting, except with exactly Spark's behavior (%j)", async (strict, count) => {
    const conf = { [wait]: "false", "spark.kubernetes.namespce": "x" };
    const { logged, run } = submission(conf, { env: { FIRESTEEL_STRICT: strict } });
    await run();
    expect(logged.filter((line) => line.includes("namespce"))).toHaveLength(count);
  });

  test("sends nothing for an unknown Firesteel setting", async () => {
    const { api, run } = submission({ [wait]: "yes", "spark.firesteel.log": "driver" });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_SETTING_UNKNOWN", "SUBMIT_ERR_SETTING_TYPE"]);
    expect(api.requestLines).toEqual([]);
  });

  test("sends nothing with invalid settings, and reports all of them", async () => {
    const conf = {
      [wait]: "yes",
      "spark.kubernetes.submission.requestTimeout": "x",
      "spark.kubernetes.container.image.pullPolicy": "No",
    };
    const { api, run } = submission(conf);
    expect(await codesOf(run)).toEqual([
      "SUBMIT_ERR_SETTING_CHOICE",
      "SUBMIT_ERR_SETTING_TYPE",
      "SUBMIT_ERR_SETTING_TYPE",
    ]);
    expect(api.requestLines).toEqual([]);
  });

  test("reads the settings of waiting only while the driver runs, with exactly Spark's behavior", async () => {
    const { api, run } = submission({ [wait]: "yes" }, { env: { FIRESTEEL_STRICT: "1" } });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_SETTING_TYPE"]);
    expect(api.objects.has(pod)).toBe(true);
  });
});

describe("a token", () => {
  const settings = { "spark.firesteel.submissionToken": "nightly", [wait]: "false" };

  test("makes a repeated submission adopt the existing driver", async () => {
    const { api, logged, run } = submission(settings);
    await run();
    const objects = [...api.objects.keys()];
    expect(await run()).toMatchObject({ end: { kind: "notAwaited" }, podName: "drv" });
    expect([...api.objects.keys()]).toEqual(objects);
    expect(logged.slice(-2)).toEqual([
      "INFO Client: An earlier submission used the same token: adopting default:drv (phase: unknown)",
      expect.stringMatching(/^INFO Client: Deployed Spark application M /),
    ]);
  });

  test("of another submission is rejected with the differing parts", async () => {
    const { api, run } = submission(settings);
    await run();
    const found = api.objects.get(pod);
    if (found === undefined) throw new Error("no driver");
    const annotations = { "firesteel.dev/submission-content": '{"arguments": "0"}' };
    api.put(pod, { ...found, metadata: { ...found.metadata, annotations } });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_TOKEN_REUSED"]);
    expect(api.objects.has(pod)).toBe(true);
  });

  test("finds its driver by name without permission to list drivers", async () => {
    const fault: Fault = ({ path }) => (path.includes("labelSelector=") ? refused(403, "no lists") : undefined);
    const { logged, run } = submission(settings, { fault: () => fault });
    await run();
    await run();
    expect(logged.filter((line) => line.includes("adopting"))).toHaveLength(1);
  });
});

test("an empty token is rejected: all submissions would share it", async () => {
  for (const env of [{}, { FIRESTEEL_STRICT: "1" }]) {
    const { api, run } = submission({ "spark.firesteel.submissionToken": "" }, { env });
    expect(await codesOf(run)).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
    expect(api.requestLines).toEqual([]);
  }
});

describe("an interruption", () => {
  test("deletes the objects while they are created", async () => {
    const fault =
      (host: TestHost): Fault =>
      ({ method }) => {
        if (method === "POST") host.raise("SIGTERM");
        return undefined;
      };
    const { api, run } = submission({}, { fault });
    expect((await run()).end).toEqual({
      kind: "interrupted",
      signal: "SIGTERM",
      driver: "rolledBack",
      left: [],
    });
    expect(api.objects.size).toBe(0);
  });

  const whileWaiting =
    (host: TestHost): Fault =>
    (request, number) => {
      if (request.path.includes("watch=")) host.raise("SIGINT");
      return watched({ phase: "Running" })(request, number);
    };

  test("keeps the driver running while waiting", async () => {
    const { api, host, run } = submission({}, { fault: whileWaiting });
    expect((await run()).end).toMatchObject({ kind: "interrupted", signal: "SIGINT", driver: "running" });
    expect(api.objects.has(pod)).toBe(true);
    expect(host.raise("SIGINT")).toBe(false);
  });

  test("deletes the driver if the setting says so", async () => {
    const { api, run } = submission({ "spark.firesteel.killOnInterrupt": "true" }, { fault: whileWaiting });
    expect((await run()).end).toMatchObject({ kind: "interrupted", driver: "deleted" });
    expect(api.objects.has(pod)).toBe(false);
  });
});
