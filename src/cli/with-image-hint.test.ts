import { expect, test } from "vitest";
import { submitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { writeClusterRecord } from "./cluster-record.ts";
import { withImageHint } from "./with-image-hint.ts";

const missing = submitError("SUBMIT_ERR_IMAGE_MISSING", { version: "4.3.0" });
const hint =
  "Set spark.kubernetes.container.image to spark:4.2.1. Or pass --master k8s://embedded/team, which has this and other defaults.";

function hintOf(argv: readonly string[], kubeconfig = "") {
  const host = testHost({ argv, env: { FIRESTEEL_STATE: "/s", KUBECONFIG: kubeconfig } });
  const record = { name: "team", pid: 1, url: "https://127.90.3.1:6443", certificateAuthority: "", token: "" };
  host.files.makeDirectory("/s/clusters/team");
  writeClusterRecord(host, { ...record, sandbox: "bwrap", apiOnly: false, sparkVersions: ["4.2.1"], started: 0 });
  return withImageHint(host, missing).issues[0].hint;
}

test.each([
  [["--master", "k8s://https://127.90.3.1:6443"], ""],
  [["--master=k8s://127.90.3.1:6443"], ""],
  [["apply", "-f", "app.yaml"], "/s/clusters/team/kubeconfig"],
])("the hint for %j names the background cluster", (argv, kubeconfig) => {
  expect(hintOf(argv, kubeconfig)).toBe(hint);
});

test.each([
  [["--master", "k8s://https://127.90.3.1:6444"], "/s/clusters/team/kubeconfig"],
  [["apply", "-f", "app.yaml"], "/other"],
])("the hint for %j is that of any cluster", (argv, kubeconfig) => {
  expect(hintOf(argv, kubeconfig)).toBe(missing.issues[0].hint);
});
