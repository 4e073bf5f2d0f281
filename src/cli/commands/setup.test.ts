import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, testApi } from "../../kube-client/test-api.ts";
import { main } from "../main.ts";
import { printError } from "../print.ts";
import { runSetupCommand } from "./setup.ts";

const kubeconfig = `current-context: a
contexts: [{name: a, context: {cluster: c}}, {name: b, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "https://h:6443"}}]`;

async function setup(args: readonly string[], fault?: Fault) {
  const host = testHost({ files: { "/home/tester/.kube/config": kubeconfig } });
  const api = testApi(fault);
  const run = runSetupCommand(host, args, async (_host, { server }) =>
    kubeClient({ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000, log: () => {} }),
  );
  const error = await run.then(
    () => "",
    (reason) => printError(reason, { form: "errorAndHint" }),
  );
  return { out: host.outText(), error, requests: api.requests };
}

const denied = (message: string) => ({
  status: 403,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Forbidden", code: 403, message },
});

test("applies the objects with a field manager of its own, and prints the settings of submissions", async () => {
  const { out, error, requests } = await setup(["namespace", "jobs", "--executor-service-account", "worker"]);
  expect(error).toBe("");
  expect(out.split("\n")).toEqual([
    "created namespace/jobs",
    ...["created serviceaccount/spark", "created serviceaccount/spark-submitter", "created serviceaccount/worker"],
    "created role.rbac.authorization.k8s.io/spark-driver",
    "created rolebinding.rbac.authorization.k8s.io/spark-driver",
    "created role.rbac.authorization.k8s.io/spark-submitter",
    "created rolebinding.rbac.authorization.k8s.io/spark-submitter",
    "Submit with: --conf spark.kubernetes.namespace=jobs --conf spark.kubernetes.authenticate.driver.serviceAccountName=spark --conf spark.kubernetes.authenticate.executor.serviceAccountName=worker",
    "",
  ]);
  const applies = requests.filter(({ method }) => method === "PATCH");
  expect(applies.map(({ path }) => path.split("?")[1])).toEqual(
    applies.map(() => "fieldManager=firesteel-setup&force=true"),
  );
});

test("leaves an existing namespace alone", async () => {
  const { out, requests } = await setup(["namespace", "jobs"], ({ path }) =>
    path.startsWith("/api/v1/namespaces/jobs?") || path.endsWith("/jobs")
      ? { status: 200, body: { metadata: {} } }
      : undefined,
  );
  expect(out).toMatch(/^unchanged namespace\/jobs\ncreated serviceaccount\/spark\n/);
  expect(requests.filter(({ method }) => method === "PATCH")).toHaveLength(6);
});

test("prints objects for kubectl, and contacts no API", async () => {
  const { out, requests } = await setup(["namespace", "jobs", "--print", "--allow", "nodes", "--network-policy"]);
  const kinds = loadAll(out).map((object) => JSON.parse(JSON.stringify(object)).kind);
  expect(kinds.slice(-3)).toEqual(["ClusterRole", "ClusterRoleBinding", "NetworkPolicy"]);
  expect(requests).toEqual([]);
});

test("names what it did before a permission was missing (SUBMIT_ERR_SETUP_FORBIDDEN)", async () => {
  const message =
    'roles.rbac.authorization.k8s.io "spark-driver" is forbidden: user "ann" (groups=["a"]) is attempting to grant RBAC permissions not currently held:\n{…}';
  const { error } = await setup(["namespace", "jobs", "--quota", "pods=5"], ({ method, path }) =>
    method === "PATCH" && path.includes("/roles/") ? denied(message) : undefined,
  );
  expect(error).toContain("Error: You may not set up role.rbac.authorization.k8s.io/spark-driver: roles.rbac");
  expect(error).toContain("(done before: namespace/jobs, serviceaccount/spark, serviceaccount/spark-submitter)");
  expect(error).toContain("firesteel setup namespace jobs --quota 'pods=5' --print | kubectl apply --server-side -f -");
});

test("reports a namespace that may not be created (SUBMIT_ERR_SETUP_FORBIDDEN)", async () => {
  const { error } = await setup(["namespace", "jobs"], () => denied('User "ann" cannot patch resource "namespaces"'));
  expect(error).toMatch(/^Error: You may not set up namespace\/jobs: User "ann" cannot patch/);
});

test("reports invalid arguments and prints usage", async () => {
  const output = async (...argv: string[]) => {
    const host = testHost({ argv: ["setup", ...argv] });
    return [await main(host), host.outText() + host.errorText()];
  };
  expect(await output("namespace")).toEqual([
    1,
    "Error: firesteel setup namespace requires the name of a namespace.\n" +
      "Hint: Pass lowercase letters, digits and -, at most 63 characters, e.g. firesteel setup namespace spark-jobs.\n",
  ]);
  expect(await output("namespace", "a", "b")).toEqual([1, expect.stringContaining("Unrecognized option: b")]);
  expect(await output("namespaces", "a")).toEqual([1, expect.stringContaining("firesteel setup namespace")]);
  expect(await output("namespace", "--help")).toEqual([
    0,
    expect.stringMatching(/^Usage: firesteel setup namespace NAME/),
  ]);
});
