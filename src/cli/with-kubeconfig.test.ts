import { expect, test } from "vitest";
import { submitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { clusterPaths } from "./cluster-record.ts";
import { withKubeconfig } from "./with-kubeconfig.ts";

const host = testHost();
const rejection = {
  method: "POST",
  url: "/api",
  server: "https://127.90.1.1:6443",

  message: "not found",
};
const missing = submitError("SUBMIT_ERR_KUBE_NOT_FOUND", {
  ...rejection,
  missingNamespace: "jobs",
  missingKind: undefined,
});

test.each([
  ["background", ""],
  ["inside", "firesteel cluster start && "],
] as const)("kubectl commands for a cluster in the %s work without KUBECONFIG", (location, start) => {
  const [issue] = withKubeconfig(host, missing, { name: "default", location }).issues;
  const { kubeconfig } = clusterPaths(host, "default");
  expect(issue.hint).toContain(`: ${start}kubectl --kubeconfig ${kubeconfig} create namespace jobs;`);
});

test("a cluster that does not respond is started again", () => {
  const server = "https://127.90.1.1:6443";
  const error = submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server, reason: "connection refused" });
  const [issue] = withKubeconfig(host, error, { name: "team", location: "background" }).issues;
  expect(issue.hint).toBe("Start the cluster again: firesteel cluster start --name team");
});
