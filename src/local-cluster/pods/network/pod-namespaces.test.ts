import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { podNamespaces } from "./pod-namespaces.ts";

/** Creates namespaces by a script that the test plays. */
function namespaces() {
  const host = testHost({ spawn: () => {} });
  const pods = podNamespaces(host.spawn("sh", [], { stdin: "pipe" }));
  const [script] = host.children;
  if (script === undefined) throw new Error("nothing was started");
  return { pods, script };
}

test("creates a pod's namespace once, and tries again after a failure", async () => {
  const { pods, script } = namespaces();
  const first = pods.add("127.90.0.5");
  expect(pods.add("127.90.0.5")).toBe(first);
  script.write(1, "failed 5 RTNETLINK answers: File exi");
  script.write(1, "sts\n");
  await expect(first).rejects.toThrow("failed to create the pod's network: RTNETLINK answers: File exists");
  const second = pods.add("127.90.0.5");
  script.write(1, "ok 5 4711\n");
  expect(await second).toBe("4711");
  pods.remove("127.90.0.5");
  expect(script.input()).toBe("add 5\nadd 5\nremove 5\n");
});

test("ends the wait for a namespace that is removed, and all waits when the script ends", async () => {
  const { pods, script } = namespaces();
  const removed = pods.add("127.90.0.5");
  pods.remove("127.90.0.5");
  await expect(removed).rejects.toThrow("the pod's network was removed");
  const last = pods.add("127.90.0.6");
  script.write(2, "unshare: no permission\nmore\n");
  script.exit(1);
  await expect(last).rejects.toThrow(/^unshare: no permission$/);
  await expect(pods.ready).rejects.toThrow(/^unshare: no permission$/);
});
