import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";
import { parseTarget } from "./operation-target.ts";

const gracePeriod = "spark.kubernetes.appKillPodDeletionGracePeriod";

test.each([
  [["ns:drv"], { id: "ns:drv", rest: [] }],
  [["--namespace", "ns", "drv"], { id: "ns:drv", rest: [] }],
  [["drv", "-n", "ns"], { id: "ns:drv", rest: [] }],
  [["--namespace=ns", "a:drv"], { id: "a:drv", rest: [] }],
  [["-n", "ns"], { id: "ns:*", rest: [] }],
  [[], { id: undefined, rest: [] }],
  [["--master=k8s://h", "drv", "--verbose"], { id: "drv", rest: ["--master=k8s://h", "--verbose"] }],
  [["--master", "k8s://h", "drv", "--json"], { id: "drv", rest: ["--master", "k8s://h", "--json"] }],
  [
    ["--context", "c", "--grace-period=5s", "drv"],
    {
      id: "drv",
      rest: ["--conf", `${gracePeriod}=5s`, "--conf", "spark.kubernetes.context=c"],
    },
  ],
])("%j selects a driver and its cluster", (args, target) => {
  expect(parseTarget(args, { settings: new Map([["--grace-period", gracePeriod]]) })).toMatchObject(target);
});

async function run(argv: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const host = testHost({ argv, files });
  return { exitCode: await main(host), out: host.outText(), error: host.errorText() };
}

const kubeconfig = `current-context: a
contexts: [{name: a, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "ftp://h"}}]`;

test("uses the cluster of the kubeconfig without a master", async () => {
  expect((await run(["status", "drv"], { "/home/tester/.kube/config": kubeconfig })).error).toContain(
    "found in URL: ftp://h",
  );
});

test("reports a missing master without a kubeconfig (SUBMIT_ERR_MASTER_MISSING)", async () => {
  const { exitCode, error } = await run(["kill", "drv"]);
  expect(exitCode).toBe(1);
  expect(error).toMatch(
    /^Error: No master is specified, and no kubeconfig names a cluster\.\nHint: .*k8s:\/\/embedded/,
  );
  for (const command of [["status"], ["attach", "drv"], ["diagnose", "drv"], ["sweep"]]) {
    expect((await run(command)).error).toContain("Error: No master is specified");
  }
});

test("reports invalid arguments (SUBMIT_ERR_DRIVER_ID_MISSING), and prints help on stdout", async () => {
  expect((await run(["kill"])).error).toContain("firesteel kill requires the ID of a driver.");
  expect((await run(["kill", "a", "--namespace"])).error).toContain("Missing argument for option '--namespace'.");
  expect((await run(["attach"])).error).toContain("firesteel attach requires the ID");
  expect((await run(["kill", "a", "--mastr", "k8s://h"])).error).toBe(
    "Error: Unrecognized option: --mastr\nHint: Did you mean --master? Run with --help to list all options.\n",
  );
  expect((await run(["kill", "a", "b"])).error).toContain("Unrecognized option: b");
  expect((await run(["kill", "a", "--json"])).error).toContain("Unrecognized option: --json");
  for (const option of ["--version", "--usage-error"]) {
    const { exitCode, error } = await run(["kill", "a", option]);
    expect([exitCode, error]).toEqual([1, expect.stringContaining(`Unrecognized option: ${option}\n`)]);
  }
  expect((await run(["status", "--help"])).out).toMatch(/^Usage: firesteel status \[ID\]/);
});
