import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { observe } from "../test-observation.ts";

const pods = "/api/v1/namespaces/team-a/pods";

function reported(status: number, message: string, path = pods) {
  const rejection = {
    method: "POST",
    path,
    status,
    body: { kind: "Status", status: "Failure", message, code: status },
  };
  const found = diagnose(observe({ rejection }));
  return {
    cause: found?.cause,
    isTerminal: found?.isTerminal,
    message: found?.message ?? "",
    key: found?.key,
  };
}

describe("rejections of the API", () => {
  test.each([
    [
      403,
      'pods "x" is forbidden: exceeded quota: compute, requested: limits.memory=4Gi,requests.cpu=2, used: limits.memory=60Gi,requests.cpu=15, limited: limits.memory=64Gi,requests.cpu=16',
      "quota-exceeded",
      false,
      "requests.cpu=2",
    ],
    [
      403,
      'pods "x" is forbidden: exceeded quota: compute, requested: limits.memory=80Gi, used: limits.memory=0, limited: limits.memory=64Gi',
      "quota-exceeded",
      true,
      "80Gi",
    ],
    [
      403,
      'pods "x" is forbidden: failed quota: q: must specify limits.cpu for: spark-kubernetes-driver; requests.memory for: proxy',
      "quota-needs-limit",
      true,
      "limits.cpu",
    ],
    [
      403,
      'pods "x" is forbidden: [minimum cpu usage per Container is 200m, but request is 100m, maximum memory usage per Pod is 1Gi, but limit is 2Gi]',
      "limit-range",
      true,
      "200m",
    ],
    [
      403,
      'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
      "limit-range",
      true,
      "ratio",
    ],
    [
      403,
      'pods "x" is forbidden: violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true)',
      "pod-security",
      true,
      "baseline",
    ],
    [
      403,
      'pods "x" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount]',
      "pod-security",
      true,
      "anyuid",
    ],
    [
      403,
      'pods "x" is forbidden: pod rejected: RuntimeClass "gvisor" not found',
      "runtime-class-missing",
      true,
      "gvisor",
    ],
    [
      403,
      'pods is forbidden: User "system:anonymous" cannot create resource "pods" in API group "" in the namespace "team-a"',
      "unauthorized",
      true,
      "Unauthorized",
    ],
    [
      403,
      'podgroups.scheduling.volcano.sh is forbidden: User "ana@example.com" cannot create resource "podgroups" in API group "scheduling.volcano.sh" in the namespace "team-a"',
      "forbidden",
      true,
      "ana@example.com may not create podgroups.scheduling.volcano.sh",
    ],
    [
      403,
      'pods "x" is forbidden: pod node label selector conflicts with its namespace node label selector',
      "admission-denied",
      true,
      "conflicts",
    ],
    [
      400,
      'admission webhook "validation.gatekeeper.sh" denied the request: [no-latest] tag latest is not allowed',
      "admission-denied",
      true,
      "no-latest",
    ],
    [
      500,
      'Internal error occurred: failed calling webhook "m.example.com": failed to call webhook: Post "https://m.example.svc:443/?timeout=10s": context deadline exceeded',
      "admission-webhook-failed",
      false,
      "deadline",
    ],
    [413, "Request entity too large: limit is 3145728", "request-too-large", true, "3145728"],
    [500, "etcdserver: request is too large", "request-too-large", true, "etcdserver"],
    [404, "the server could not find the requested resource", "api-type-missing", true, "pods"],
    [
      400,
      'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field',
      "invalid-object",
      true,
      "unmarshal",
    ],
  ])("%i %s", (status, message, cause, isTerminal, expectedText) => {
    const found = reported(status, message);
    expect(found).toMatchObject({ cause, isTerminal });
    expect(found.message).toContain(expectedText);
  });

  test("a proxy that requires a login, and an API that is only busy", () => {
    const diagnosed = (status: number, body: unknown) =>
      diagnose(observe({ rejection: { method: "POST", path: pods, status, body } }));
    expect(diagnosed(401, "<html>Login</html>")).toMatchObject({ cause: "unauthorized" });
    expect(diagnosed(413, "")).toMatchObject({
      cause: "request-too-large",
      evidence: [{ text: '"status": 413' }],
    });
    expect(diagnosed(503, "try again")).toBeUndefined();
  });

  test.each([
    ["metadata.labels", 'Invalid value: "a b": must be a label', "spark.kubernetes.driver.label.team", "a b"],
    ["metadata.annotations", 'Invalid value: "a b"', "spark.kubernetes.driver.annotation.a b", "x"],
    ["spec.nodeSelector", 'Invalid value: "a b"', "spark.kubernetes.node.selector.a b", "x"],
    ["spec.ports[0].targetPort", "Invalid value: 70780: must be at most 65535", "spark.driver.port", "70780"],
  ])("finds the setting of an invalid %s", (field, message, key, value) => {
    const body = {
      message: `Pod "x" is invalid: ${field}: ${message}`,
      details: { causes: [{ field, message }] },
    };
    const rejection = { method: "POST", path: pods, status: 422, body };
    expect(diagnose(observe({ rejection, properties: { [key]: value } }))?.key).toBe(key);
  });

  test.each([
    ["minimum cpu usage per Container is 500m, but request is 100m", "spark.kubernetes.driver.request.cores"],
    ["maximum cpu usage per Container is 1, but limit is 2", "spark.kubernetes.driver.limit.cores"],
    [
      "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000",
      "spark.kubernetes.driver.limit.cores",
    ],
    ["maximum memory usage per Pod is 600Mi, but limit is 896Mi", "spark.driver.memory"],
    [
      "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 5Gi",
      "spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.sizeLimit",
    ],
  ])("finds the setting that a LimitRange rejects: %s", (text, key) => {
    const rejection = {
      method: "POST",
      path: pods,
      status: 403,
      body: { message: `"x" is forbidden: ${text}` },
    };
    const properties = {
      "spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.sizeLimit": "5Gi",
    };
    expect(diagnose(observe({ rejection, properties }))?.key).toBe(key);
  });
});
