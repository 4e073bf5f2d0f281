import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../../errors/submit-error.ts";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { type Fault, refused, socketError, testApi } from "../../../kube-client/test-api.ts";
import { operate } from "../../operate.ts";

const appId = "spark-0a1b2c3d0000400080000123456789ab";

interface OperationCase {
  readonly kill?: string;
  readonly status?: string;
  readonly json?: boolean;
  readonly conf?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
  /** Namespace of the kubeconfig. */
  readonly namespace?: string;
  readonly pods?: readonly string[];
  readonly state?: NonNullable<Pod["status"]>;
  readonly fault?: Fault;
}

async function run(operationCase: OperationCase) {
  const { kill, status, json = false, conf = {}, strict = false, namespace, pods = ["ns:drv"] } = operationCase;
  const host = testHost({ env: strict ? { FIRESTEEL_STRICT: "1" } : {} });
  const api = testApi((request, number) => operationCase.fault?.(request, number) ?? listEverywhere(request, number));
  const listEverywhere: Fault = ({ path }) =>
    path.startsWith("/api/v1/pods?")
      ? { status: 200, body: { metadata: {}, items: [...api.objects.values()] } }
      : undefined;
  for (const id of pods) {
    const [podNamespace, name = ""] = id.split(":");
    const labels = { "spark-role": "driver", "spark-app-selector": appId, "spark-app-name": "pi" };
    api.put(`/api/v1/namespaces/${podNamespace}/pods/${name}`, {
      ...{ apiVersion: "v1", kind: "Pod", status: operationCase.state ?? { phase: "Running" } },
      metadata: { name, namespace: podNamespace ?? "", labels },
    });
  }
  const commandLine = {
    settings: Object.entries(conf).map(([key, value]) => ({ key, value, origin: { kind: "conf" } as const })),
    ...{ fields: { master: "k8s://https://h" }, propertiesFile: undefined, extraPropertiesFiles: [] },
    ...{ loadsDefaults: false, supervise: false, verbose: false },
  };
  const result: unknown = await host.settle(
    operate({
      host,
      invocation:
        kill === undefined
          ? { action: "status", submissionId: status ?? "", json, ...commandLine }
          : { action: "kill", submissionId: kill, ...commandLine },
      openClient: async (_host, { server }) =>
        kubeClient({
          ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
          ...{ log: () => {}, defaultNamespace: namespace },
        }),
    }).catch((error: unknown) => error),
  );
  const codes = isSubmitError(result) ? result.issues.map(({ code }) => code) : [];
  const deletes = api.requests.filter(({ method }) => method === "DELETE");
  return {
    ...{ result, codes, api, error: host.errorText(), out: host.outText() },
    deleted: deletes.map(({ path }) => path),
    bodies: deletes.map(({ body }): unknown => (typeof body === "string" ? JSON.parse(body) : body)),
  };
}

const grace = "spark.kubernetes.appKillPodDeletionGracePeriod";

describe("a kill", () => {
  test("of a driver checks that it exists, deletes its pod, and prints nothing else", async () => {
    const { api, error, bodies, result } = await run({ kill: "ns:drv" });
    const pod = "/api/v1/namespaces/ns/pods/drv";
    expect(api.requestLines).toEqual([`GET ${pod}`, `DELETE ${pod}`]);
    expect(bodies).toEqual([{ apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" }]);
    expect(error).toBe(
      "Submitting a request to kill submission ns:drv in k8s://https://h. Grace period in secs: not set.\n",
    );
    expect(result).toMatchObject({ isFound: true, behaviors: { exitCode: "driver" } });
  });

  test.each([
    ["10s", 10, "10"],
    ["2m", 120, "120"],
    ["0", 0, "0"],
    ["500ms", 0, "0"],
    ["-1s", undefined, "-1"],
  ])("with a grace period of %s sends it in seconds", async (value, seconds, printed) => {
    const { bodies, error } = await run({ kill: "ns:drv", conf: { [grace]: value } });
    expect(bodies).toMatchObject([seconds === undefined ? {} : { gracePeriodSeconds: seconds }]);
    expect(JSON.stringify(bodies).includes("gracePeriodSeconds")).toBe(seconds !== undefined);
    expect(error).toMatch(new RegExp(`Grace period in secs: ${printed}\n$`));
  });

  test("with an invalid grace period sends nothing; a status does not read it", async () => {
    const conf = { [grace]: "soon" };
    const { api, codes, error } = await run({ kill: "ns:drv", conf, strict: true });
    expect([codes, api.requestLines, error]).toEqual([["SUBMIT_ERR_SETTING_TYPE"], [], ""]);
    expect((await run({ status: "ns:drv", conf })).codes).toEqual([]);
  });

  test("of a prefix deletes the drivers with this prefix", async () => {
    const pods = ["ns:app-1", "ns:app-2", "ns:xapp-3", "other:app-4"];
    const { api, deleted, error } = await run({ kill: "ns:app-*", pods });
    expect(api.requests[0]?.path).toContain("labelSelector=spark-role%3Ddriver");
    expect(deleted).toEqual(["/api/v1/namespaces/ns/pods/app-1", "/api/v1/namespaces/ns/pods/app-2"]);
    expect(error).toContain("Deleting driver pod: app-1.\nDeleting driver pod: app-2.\n");
  });

  test("that is rejected for some drivers deletes the others, and reports all errors", async () => {
    const fault: Fault = ({ method, path }) =>
      method === "DELETE" && !path.endsWith("app-3") ? refused(403, "no") : undefined;
    const call = { kill: "ns:app-*", pods: ["ns:app-1", "ns:app-2", "ns:app-3"], fault };
    const { codes, deleted } = await run(call);
    expect(codes).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN", "SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(deleted).toHaveLength(3);
    const strict = await run({ ...call, strict: true });
    expect([strict.codes, strict.deleted.length]).toEqual([["SUBMIT_ERR_KUBE_FORBIDDEN"], 1]);
  });

  test("as in Spark 3.5 deletes without a check", async () => {
    const conf = { "spark.firesteel.sparkVersion": "3.5" };
    const gone = await run({ kill: "ns:gone", conf, strict: true });
    expect(gone.api.requestLines).toEqual(["DELETE /api/v1/namespaces/ns/pods/gone"]);
    expect(gone.result).toMatchObject({ isFound: true, behaviors: { exitCode: "spark" } });
    expect((await run({ kill: "drv", conf, strict: true })).deleted).toEqual(["/api/v1/pods/drv"]);
    expect((await run({ kill: "ns:gone", conf })).result).toMatchObject({
      isFound: false,
      behaviors: { exitCode: "driver" },
    });
  });
});

describe("an operation without a matching driver", () => {
  test.each([
    [{ kill: "ns:gone" }, "Application not found.", "There is no pod gone in namespace ns."],
    [{ kill: "ns:x-*" }, "No applications found.", 'There is no driver whose name begins with "x-" in namespace ns.'],
    [{ status: "ns:gone" }, "Application not found.", "There is no pod gone in namespace ns."],
    [{ status: "*", pods: [] }, "No applications found.", "There is no driver in any namespace."],
  ])("prints for %j that no driver matches", async (call, text, reason) => {
    const { error, result } = await run(call);
    expect(error).toMatch(/^Submitting a request [^\n]*\n/);
    expect(error.split("\n").slice(1)).toEqual([
      `Error: ${text} ${reason}`,
      "Hint: List the drivers: firesteel ps",
      "",
    ]);
    expect(result).toMatchObject({ isFound: false, behaviors: { exitCode: "driver" } });
    expect((await run({ ...call, strict: true })).error.split("\n").slice(1)).toEqual([text, ""]);
  });
});

describe("the namespace", () => {
  test("is that of the ID, else that of the kubeconfig", async () => {
    const pods = ["ctx:drv", "ns:drv"];
    expect((await run({ kill: "drv", namespace: "ctx", pods })).deleted).toEqual(["/api/v1/namespaces/ctx/pods/drv"]);
    expect((await run({ kill: "*", namespace: "ctx", pods })).deleted).toHaveLength(1);
    expect((await run({ kill: "ns:*", namespace: "ctx", pods })).deleted).toEqual(["/api/v1/namespaces/ns/pods/drv"]);
  });

  test("is by default that of a submission for one pod, and every namespace for several", async () => {
    const conf = { "spark.kubernetes.namespace": "ns" };
    expect((await run({ kill: "drv", conf })).deleted).toEqual(["/api/v1/namespaces/ns/pods/drv"]);
    const strict = await run({ kill: "drv", conf, strict: true });
    expect([strict.codes, strict.deleted]).toEqual([["SUBMIT_ERR_NAMESPACE_UNKNOWN"], []]);
    expect((await run({ kill: "d*", pods: ["ns:drv", "b:dro"], strict: true })).deleted).toEqual([
      "/api/v1/namespaces/ns/pods/drv",
      "/api/v1/namespaces/b/pods/dro",
    ]);
  });

  test.each([
    ["ns:", "SUBMIT_ERR_SUBMISSION_ID_NAME"],
    [":drv", "SUBMIT_ERR_SUBMISSION_ID_NAMESPACE"],
  ])("or an empty name (%s) is rejected, by Spark after its first line", async (id, code) => {
    const ownResult = await run({ kill: id });
    expect([ownResult.codes, ownResult.error, ownResult.api.requestLines]).toEqual([[code], "", []]);
    const strict = await run({ status: id, strict: true });
    expect([strict.codes, strict.api.requestLines]).toEqual([[code], []]);
    expect(strict.error).toContain(`Submitting a request for the status of submission ${id} in `);
  });
});

test("an application ID selects its driver, except with exactly Spark's behavior", async () => {
  expect((await run({ kill: `ns:${appId}` })).deleted).toEqual(["/api/v1/namespaces/ns/pods/drv"]);
  expect((await run({ kill: `ns:${appId}`, strict: true })).deleted).toEqual([]);
});

describe("a status", () => {
  const terminated = { exitCode: 3, reason: "Error", startedAt: "2026-01-01T00:00:02Z" };
  const status = { name: "spark-kubernetes-driver", image: "img:1", imageID: "", ready: false };
  const state = {
    phase: "Failed",
    containerStatuses: [{ ...status, restartCount: 0, state: { terminated } }],
  };

  test("prints the state of each driver to stderr, in the format that tools parse", async () => {
    const { error, out } = await run({ status: "ns:drv", state });
    expect(out).toBe("");
    expect(error).toContain(
      "Submitting a request for the status of submission ns:drv in k8s://https://h.\nApplication status (driver): \n\t pod name: drv\n\t namespace: ns\n",
    );
    expect(error).toMatch(/\n\t\t exit code: 3\n\t\t termination reason: Error\n$/);
    const both = await run({ status: "ns:*", pods: ["ns:a", "ns:b"] });
    expect(both.error.match(/^Application status \(driver\): $/gm)).toHaveLength(2);
  });

  test("as JSON is the only output on stdout, with the same fields for every driver", async () => {
    const { error, out } = await run({ status: "ns:drv", json: true, state });
    expect(error).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      drivers: [
        {
          ...{ submissionId: "ns:drv", appId, appName: "pi", phase: "Failed", exitCode: 3, reason: "Error" },
          ...{ message: null, startedAt: null },
          containers: [{ name: "spark-kubernetes-driver", state: "terminated", exitCode: 3 }],
        },
      ],
    });
    const none = await run({ status: "ns:gone", json: true });
    expect([JSON.parse(none.out), none.result]).toMatchObject([{ drivers: [] }, { isFound: false }]);
  });

  test.each([
    [() => refused(403, "pods is forbidden"), "SUBMIT_ERR_KUBE_FORBIDDEN"],
    [() => refused(401, "Unauthorized"), "SUBMIT_ERR_KUBE_UNAUTHORIZED"],
    [() => Promise.reject(socketError("ECONNREFUSED")), "SUBMIT_ERR_KUBE_UNREACHABLE"],
  ])("fails if the API does not respond", async (fault, code) => {
    expect((await run({ status: "ns:drv", fault })).codes).toEqual([code]);
  });

  test("without any namespace is rejected as in Spark, also in 3.5, which accepts such a kill", async () => {
    const old = { conf: { "spark.firesteel.sparkVersion": "3.5" }, strict: true };
    expect((await run({ status: "drv", ...old })).codes).toEqual(["SUBMIT_ERR_NAMESPACE_UNKNOWN"]);
    expect((await run({ kill: "drv", ...old })).codes).toEqual([]);
  });

  test("that cannot connect fails with Spark's text", async () => {
    const fault = () => Promise.reject(socketError("ECONNREFUSED"));
    const messageOf = async (operationCase: OperationCase) => String((await run({ ...operationCase, fault })).result);
    expect(await messageOf({ kill: "ns:drv" })).toContain(
      "Operation: [get]  for kind: [Pod]  with name: [drv]  in namespace: [ns]  failed.",
    );
    const old = { conf: { "spark.firesteel.sparkVersion": "3.5" }, strict: true };
    expect(await messageOf({ kill: "ns:drv", ...old })).toContain(
      "Operation: [delete]  for kind: [Pod]  with name: [drv]  in namespace: [ns]  failed.",
    );
    expect(await messageOf({ status: "ns:*" })).toContain(
      "Operation: [list]  for kind: [Pod]  with name: [null]  in namespace: [ns]  failed.",
    );
  });
});
