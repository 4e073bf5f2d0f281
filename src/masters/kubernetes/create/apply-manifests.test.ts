import { describe, expect, test } from "vitest";
import type { StopSignal } from "../../../errors/stop-signal.ts";
import { isSubmitError, type SubmitError, submitError } from "../../../errors/submit-error.ts";
import { testClock } from "../../../host/test-clock.ts";
import type { KubeResource } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import type { RetryPolicy } from "../../../kube-client/retry.ts";
import { chunks, type Fault, refused, socketError, type TestResponse, testApi } from "../../../kube-client/test-api.ts";
import type { Manifests } from "../../../spec/manifests.ts";
import { applyManifests } from "./apply-manifests.ts";

function resource(apiVersion: string, kind: string, name: string): KubeResource {
  return { apiVersion, kind, metadata: { name } };
}

const manifests: Manifests = {
  namespace: "ns",
  preResources: [resource("scheduling.volcano.sh/v1beta1", "PodGroup", "g")],
  resources: [resource("v1", "Service", "s"), resource("v1", "ConfigMap", "m")],
  pod: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "drv", labels: { "spark-app-selector": "spark-1" } },
  },
};

const group = "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g";
const service = "/api/v1/namespaces/ns/services/s";
const map = "/api/v1/namespaces/ns/configmaps/m";
const pods = "/api/v1/namespaces/ns/pods";

function submission(fault?: Fault, retry: RetryPolicy = {}) {
  const clock = testClock(0);
  const api = testApi(fault);
  const logged: string[] = [];
  const abort = new AbortController();
  const client = kubeClient({
    transport: api.transport,
    server: "https://api",
    clock,
    requestTimeoutMs: 5000,
    retry,
    log: () => {},
  });
  const apply = () =>
    clock.settle(
      applyManifests({
        client,
        manifests,
        log: (level, logger, text) => logged.push(`${level} ${logger}: ${text}`),
        signal: abort.signal,
      }),
    );
  const fail = async (): Promise<SubmitError> => {
    const error: unknown = await apply().then(
      () => new Error("it succeeded"),
      (reason: unknown) => reason,
    );
    if (isSubmitError(error)) return error;
    throw error;
  };
  return { abort, api, apply, clock, fail, logged, left: () => [...api.objects.keys()].sort() };
}

describe("a submission", () => {
  test("creates what the driver needs, then the driver, then makes it the owner", async () => {
    const { api, apply } = submission();
    const pod = await apply();
    const all = [`PATCH ${group}`, `PATCH ${service}`, `PATCH ${map}`];
    expect(api.requestLines).toEqual([...all, `POST ${pods}`, ...all]);
    const owner = { apiVersion: "v1", controller: true, kind: "Pod", name: "drv", uid: pod.metadata?.uid };
    for (const path of [group, service, map]) {
      expect(api.objects.get(path)?.metadata.ownerReferences).toEqual([owner]);
    }
  });

  // A submission without faults makes calls 1 to 7.
  const calls = [1, 2, 3, 4, 5, 6, 7];
  const faults: readonly (readonly [string, (request: number) => TestResponse])[] = [
    ...[400, 401, 403, 404, 409, 413, 422, 429, 500, 503].map(
      (status) => [`HTTP ${status}`, () => refused(status, "scripted")] as const,
    ),
    ["a page of HTML", () => ({ status: 200, body: "<html>" })],
    ["half an answer", () => ({ status: 201, stream: chunks('{"kind"', socketError("ECONNRESET")) })],
    ["a cut connection", () => thrown("ECONNRESET")],
    ["a closed port", () => thrown("ECONNREFUSED")],
    ["an untrusted certificate", () => thrown("CERT_HAS_EXPIRED")],
  ];
  const matrix = calls.flatMap((call) => faults.map(([name, fault]) => ({ call, name, fault })));

  test.each(matrix)("leaves no object after $name at call $call", async ({ call, fault }) => {
    const disturbed = new Set<string>();
    const { fail, left } = submission(({ method, path }, number) => {
      // Every further attempt of the same call fails in the same way.
      if (number === call) disturbed.add(`${method} ${path}`);
      return disturbed.has(`${method} ${path}`) ? fault(number) : undefined;
    });
    await fail();
    expect(left()).toEqual([]);
  });

  test.each(calls)("leaves no object if call %i gets no response", async (call) => {
    const { fail, left } = submission(({ signal }, number) => (number === call ? noResponse(signal) : undefined));
    expect((await fail()).code).toBe("SUBMIT_ERR_KUBE_TIMEOUT");
    expect(left()).toEqual([]);
  });

  test.each(calls)("deletes all objects if it is stopped in call %i", async (call) => {
    const { abort, fail, left } = submission((_, number) => {
      if (number === call) abort.abort();
      return undefined;
    });
    expect((await fail()).code).toBe("SUBMIT_ERR_INTERRUPTED");
    expect(left()).toEqual([]);
  });
});

describe("an error", () => {
  test("for the pod logs what to check, with Spark's text", async () => {
    const { fail, logged } = submission(({ method }) => (method === "POST" ? refused(403, "quota") : undefined));
    expect((await fail()).issues.map(({ code }) => code)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN"]);
    expect(logged).toEqual(['ERROR Client: Please check "kubectl auth can-i create pod" first. It should be yes.']);
  });

  test("for a resource before the pod logs that, too; for other resources nothing", async () => {
    const first = submission(({ path }) => (path.startsWith(group) ? refused(403, "no") : undefined));
    await first.fail();
    expect(first.logged).toEqual([
      'ERROR Client: Please check "kubectl auth can-i create [resource]" first. It should be yes. And please also check your feature step implementation.',
    ]);
    const untrusted = submission(() => {
      throw submitError("SUBMIT_ERR_KUBE_AUTH_PEM", { what: "certificate authority", reason: "no PEM" });
    });
    expect((await untrusted.fail()).code).toBe("SUBMIT_ERR_KUBE_AUTH_PEM");
    expect(untrusted.logged.length).toBe(1);
    const other = submission(({ path }) => (path.startsWith(map) ? refused(413, "large") : undefined));
    expect((await other.fail()).code).toBe("SUBMIT_ERR_KUBE_TOO_LARGE");
    expect(other.logged).toEqual([]);
  });

  test("of the rollback is reported with the kubectl command", async () => {
    const { fail, left } = submission(({ method, path }) => {
      if (method === "POST") return refused(403, "quota");
      return method === "DELETE" && path === map ? refused(403, "no delete") : undefined;
    });
    const { issues } = await fail();
    expect(issues.map(({ code }) => code)).toEqual(["SUBMIT_ERR_KUBE_FORBIDDEN", "SUBMIT_ERR_CLEANUP_INCOMPLETE"]);
    expect(issues[1]?.message).toMatch(
      /^Not cleaned up: these objects may still exist in namespace ns: configmap\/m \(.*no delete.\). Delete them manually: kubectl delete --ignore-not-found -n ns configmap\/m$/,
    );
    expect(left()).toEqual([map]);
  });

  test("for plain HTTP to an HTTPS server reports no orphaned object", async () => {
    const { fail } = submission(({ method }) => (method === "GET" ? refused(400, "deaf") : thrown("ECONNRESET")));
    expect((await fail()).issues.map(({ code }) => code)).toEqual(["SUBMIT_ERR_KUBE_UNREACHABLE"]);
  });

  test("keeps existing objects, and a pod of another submission", async () => {
    const { api, fail, left } = submission();
    const metadata = { managedFields: [{ manager: "kubectl" }], uid: "old" };
    api.put(service, { apiVersion: "v1", kind: "Service", metadata: { name: "s", ...metadata } });
    api.put(`${pods}/drv`, { apiVersion: "v1", kind: "Pod", metadata: { name: "drv", ...metadata } });
    expect((await fail()).code).toBe("SUBMIT_ERR_KUBE_CONFLICT");
    expect(left()).toEqual([`${pods}/drv`, service]);
  });
});

describe("a lost response for the pod", () => {
  test.each([
    ["a cut connection", () => thrown("ECONNRESET")],
    ["HTTP 500", () => refused(500, "after all")],
  ])("by %s does not stop a submission whose pod exists", async (_, fault) => {
    let lost = false;
    const { api, apply } = submission(({ method, body }) => {
      if (method !== "POST" || lost) return undefined;
      lost = true;
      api.put(`${pods}/drv`, JSON.parse(String(body)));
      return fault();
    });
    expect((await apply()).metadata?.name).toBe("drv");
    expect(api.objects.get(map)?.metadata.ownerReferences).toHaveLength(1);
  });

  test("leads to the created pod after a retry, or to a conflict with another one", async () => {
    for (const isOwn of [true, false]) {
      let lost = false;
      const { api, apply, fail } = submission(
        ({ method, body }) => {
          if (method !== "POST" || lost) return undefined;
          lost = true;
          const pod: KubeResource = JSON.parse(String(body));
          const labels = { "spark-app-selector": isOwn ? "spark-1" : "spark-other" };
          api.put(`${pods}/drv`, { ...pod, metadata: { ...pod.metadata, labels } });
          return thrown("ECONNRESET");
        },
        { repeatsCutOff: "always" },
      );
      if (isOwn) expect((await apply()).metadata?.name).toBe("drv");
      else expect((await fail()).code).toBe("SUBMIT_ERR_KUBE_CONFLICT");
      expect(api.requestLines.filter((call) => call.startsWith("POST"))).toHaveLength(2);
    }
  });
});

test("an interruption deletes the pod before what it mounts, even if the response to its creation was lost", async () => {
  const { abort, api, fail, left } = submission(({ method, body, signal }) => {
    if (method !== "POST") return undefined;
    api.put(`${pods}/drv`, JSON.parse(String(body)));
    const waiting = noResponse(signal);
    abort.abort();
    return waiting;
  });
  expect((await fail()).code).toBe("SUBMIT_ERR_INTERRUPTED");
  expect(left()).toEqual([]);
  const deleted = api.requestLines.filter((call) => call.startsWith("DELETE"));
  expect(deleted).toEqual([`DELETE ${pods}/drv`, `DELETE ${map}`, `DELETE ${service}`, `DELETE ${group}`]);
});

test("an interruption waits for the response to a write, which could otherwise take effect after the rollback", async () => {
  let hasResponded = false;
  const early: string[] = [];
  const interrupted = submission(async ({ method, path, signal }) => {
    if (method === "DELETE" && !hasResponded) early.push(path);
    if (method !== "POST") return undefined;
    const response = interrupted.clock.sleep(1000).then(() => {
      hasResponded = true;
      return undefined;
    });
    const cutOff = noResponse(signal);
    interrupted.abort.abort();
    return Promise.race([response, cutOff]);
  });
  expect((await interrupted.fail()).code).toBe("SUBMIT_ERR_INTERRUPTED");
  expect([early, interrupted.left()]).toEqual([[], []]);
});

function thrown(code: string): never {
  throw socketError(code);
}

function noResponse(signal: StopSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(socketError("ABORT_ERR")), { once: true });
  });
}
