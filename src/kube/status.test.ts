import { describe, expect, test } from "vitest";
import { SubmitError, submitError } from "../errors/submit-error.ts";
import { resourceTypes } from "./resources.ts";
import { type ApiCall, parseStatus, rejectionIssue, statusOf } from "./status.ts";

const creation: ApiCall = {
  verb: "create",
  method: "POST",
  path: "/api/v1/namespaces/jobs/pods",
  server: "https://api:6443",
  type: resourceTypes.pod,
  namespace: "jobs",
  name: "drv",
};

function rejection(httpStatus: number, body: object | string, call: Partial<ApiCall> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify({ kind: "Status", ...body });
  return rejectionIssue({ ...creation, ...call }, httpStatus, parseStatus(httpStatus, text));
}

describe("a rejection", () => {
  test.each([
    [401, "SUBMIT_ERR_KUBE_UNAUTHORIZED"],
    [403, "SUBMIT_ERR_KUBE_FORBIDDEN"],
    [404, "SUBMIT_ERR_KUBE_NOT_FOUND"],
    [409, "SUBMIT_ERR_KUBE_CONFLICT"],
    [413, "SUBMIT_ERR_KUBE_TOO_LARGE"],
    [422, "SUBMIT_ERR_KUBE_INVALID"],
    [400, "SUBMIT_ERR_KUBE_REJECTED"],
    [503, "SUBMIT_ERR_KUBE_REJECTED"],
  ])("with HTTP %i is %s, has the server's message and a next step", (status, code) => {
    const issue = rejection(status, { message: "because" });
    expect(issue.code).toBe(code);
    expect(issue.message).toBe(
      "Failure executing: POST at: https://api:6443/api/v1/namespaces/jobs/pods. Message: because.",
    );
    expect(issue.hint).toMatch(/\w/);
  });

  test("of a kind that the cluster does not know says so", () => {
    const group = { type: resourceTypes.podGroup, verb: "patch", method: "PATCH" } as const;
    const unknown = rejection(404, "404 page not found\n", group);
    expect(unknown.code).toBe("SUBMIT_ERR_KUBE_NOT_FOUND");
    expect(unknown.hint).toContain("Install the definition of podgroups.scheduling.volcano.sh");
    expect(rejection(404, "404 page not found\n").hint).toContain("is a Kubernetes API server");
    const space = { message: 'namespaces "jobs" not found', details: { name: "jobs", kind: "namespaces" } };
    expect(rejection(404, space, group).hint).toContain("create namespace jobs");
  });

  test("of the log before a restart that did not happen says so", () => {
    const message = 'previous terminated container "main" in pod "drv" not found';
    expect(rejection(400, { message }).hint).toBe("The container did not restart: read its log without --previous.");
  });

  test("for missing permissions names the kubectl command that lists them", () => {
    expect(rejection(403, { message: "no" }).hint).toContain("kubectl auth can-i create pods -n jobs");
    const anonymous = 'pods is forbidden: User "system:anonymous" cannot create resource "pods"';
    expect(rejection(403, { message: anonymous }).hint).toContain("the request had no credentials");
    const policy = { type: resourceTypes.networkPolicy, verb: "patch" };
    expect(rejection(403, { message: "no" }, policy).hint).toContain(
      "can-i patch networkpolicies.networking.k8s.io -n jobs",
    );
    const log = { verb: "get", subresource: "log" };
    expect(rejection(403, { message: "no" }, log).hint).toContain("can-i get pods/log -n jobs");
  });

  test.each([
    [
      "exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1",
      "SUBMIT_ERR_KUBE_QUOTA",
      "describe quota -n jobs",
    ],
    ["failed quota: small: must specify limits.cpu for: main", "SUBMIT_ERR_KUBE_QUOTA", "describe quota -n jobs"],
    [
      'error looking up service account jobs/x: serviceaccount "x" not found',
      "SUBMIT_ERR_KUBE_SERVICE_ACCOUNT",
      "get serviceaccounts -n jobs",
    ],
    [
      'violates PodSecurity "restricted:latest": runAsNonRoot != true',
      "SUBMIT_ERR_KUBE_POD_SECURITY",
      "podTemplateFile",
    ],
    [
      "unable to create new content in namespace jobs because it is being terminated",
      "SUBMIT_ERR_KUBE_NAMESPACE_TERMINATING",
      "namespace jobs is deleted",
    ],
    ["denied by a rule", "SUBMIT_ERR_KUBE_ADMISSION", "not a missing permission"],
    [
      'User "ann" cannot create resource "pods" in API group "" in the namespace "jobs"',
      "SUBMIT_ERR_KUBE_FORBIDDEN",
      "can-i create pods -n jobs",
    ],
  ])("with 403 because of %s has code and hint of its own", (why, code, hint) => {
    const found = rejection(403, { reason: "Forbidden", message: `pods "drv" is forbidden: ${why}` });
    expect(found.code).toBe(code);
    expect(found.hint).toContain(hint);
  });

  test("because something exists names it, although a POST does not; of another conflict it says to try again", () => {
    const details = { name: "same", kind: "pods" };
    const taken = rejection(409, { reason: "AlreadyExists", details }, { name: undefined });
    expect(taken.hint).toContain("kubectl get pods same -n jobs");
    expect(rejection(409, { reason: "Conflict", details }).hint).toContain("Try again");
  });

  test("for lack of the namespace says how to make it", () => {
    const byMessage = rejection(404, { message: 'namespaces "jobs" not found' });
    const byDetails = rejection(404, { message: "gone", details: { kind: "namespaces", name: "jobs" } });
    for (const issue of [byMessage, byDetails]) {
      expect(issue.hint).toContain("kubectl create namespace jobs");
      expect(issue.hint).toContain("spark.kubernetes.namespace");
    }
    expect(rejection(404, { message: 'pods "drv" not found' }).hint).not.toContain("create namespace");
  });

  test("by a proxy that sends a page keeps the page's text", () => {
    const issue = rejection(502, "<html><h1>Bad\n Gateway</h1></html>");
    expect(issue.message).toContain("Message: Bad Gateway.");
    expect(rejection(502, "").message).toContain("Message: HTTP status 502.");
  });
});

test("the API's Status stays behind the error", () => {
  const status = parseStatus(400, JSON.stringify({ kind: "Status", message: "m", code: 400 }));
  expect(statusOf(new SubmitError([rejectionIssue(creation, 400, status)], { cause: status }))?.code).toBe(400);
  expect(statusOf(submitError("SUBMIT_ERR_INTERRUPTED", {}))).toBeUndefined();
  expect(statusOf(new Error("other"))).toBeUndefined();
});
