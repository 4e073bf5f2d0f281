import { describe } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import type { Pod } from "../../../src/kube/types.ts";
import { podClusters } from "../pod-cluster.ts";
import { conditionsOf, isTerminated, sh, stateOf, type TestNamespace } from "../test-namespace.ts";
import { podChecks, running, terminated, waitsFor } from "./pod-checks.ts";

const { clock } = nodeHost();

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);
  const reasons = async (space: TestNamespace, name: string) => (await space.events(name)).map(({ reason }) => reason);

  check("84 a pod goes from Pending through Running to Succeeded", async (space, { expect }) => {
    const watched = space.client.watch(`${space.at("pods")}?watch=true`, 60, undefined, ({ type, object }) => {
      const status = JSON.stringify(object.status);
      return type !== "DELETED" && !status.includes('"phase":"Succeeded"');
    });
    await space.pod("p", { containers: [sh("a", "sleep 1")] });
    const events = await watched;
    const pods = events.map(({ object }): Pod => JSON.parse(JSON.stringify(object)));
    const states = pods.map((pod) => {
      const { waiting, running: runs, terminated: end } = stateOf(pod);
      return `${pod.status?.phase} ${waiting?.reason ?? (runs ? "running" : (end?.reason ?? "-"))}`;
    });
    const transitions = states.filter((state, index) => state !== states[index - 1]);
    expect(transitions.filter((state) => state !== "Running Completed")).toEqual([
      "Pending -",
      "Pending ContainerCreating",
      "Running running",
      "Succeeded Completed",
    ]);
    const created = pods.find(waitsFor("ContainerCreating"));
    expect(conditionsOf(created ?? {})).toMatchObject({
      ...{ PodScheduled: "True", Initialized: "True" },
      ...{ Ready: "False ContainersNotReady", ContainersReady: "False ContainersNotReady" },
    });
    expect(conditionsOf(pods.find(running) ?? {})).toMatchObject({ Ready: "True", ContainersReady: "True" });
    expect(conditionsOf(pods.at(-1) ?? {})).toMatchObject({
      ...{ Initialized: "True PodCompleted", Ready: "False PodCompleted" },
    });
    const seen = await reasons(space, "p");
    expect(seen.filter((reason) => reason !== "Pulling")).toEqual(["Scheduled", "Pulled", "Created", "Started"]);
  });

  check("a pod of another scheduler waits for it, and runs where it is bound", async (space, { expect }) => {
    await space.pod("foreign", { schedulerName: "other", containers: [sh("a", "exec sleep 60")] });
    await space.pod("usual", { containers: [sh("a", "exec sleep 60")] });
    const node = (await space.until("usual", running)).spec?.nodeName ?? "";
    expect((await space.get("foreign")).status?.conditions).toBeUndefined();
    await space.create("pods/foreign/binding", {
      ...{ kind: "Binding", metadata: { name: "foreign", annotations: { "example.com/by": "other" } } },
      target: { kind: "Node", name: node },
    });
    const bound = await space.until("foreign", running);
    expect([bound.spec?.nodeName, bound.metadata?.annotations]).toMatchObject([node, { "example.com/by": "other" }]);
    expect(conditionsOf(bound)).toMatchObject({ PodScheduled: "True" });
    expect(await reasons(space, "foreign")).not.toContain("FailedScheduling");
  });

  check("85 an exit code is reported, and a signal as 128 plus its number", async (space, { expect }) => {
    await space.pod("code", { containers: [sh("a", "exit 3")] });
    await space.pod("signal", { containers: [sh("a", "sh -c 'kill -9 $$$$'; exit $?")] });
    const [code, signal] = [await space.until("code", isTerminated), await space.until("signal", isTerminated)];
    expect([code.status?.phase, terminated(code)]).toMatchObject(["Failed", { exitCode: 3, reason: "Error" }]);
    expect(terminated(signal)).toMatchObject({ exitCode: 137, reason: "Error" });
    expect(conditionsOf(code)).toMatchObject({
      Ready: "False PodFailed",
      ContainersReady: "False PodFailed",
    });
  });

  check("92 a container that uses more memory than its limit is OOMKilled", async (space, { expect }) => {
    const resources = { limits: { memory: "64Mi" } };
    await space.pod("p", {
      containers: [sh("a", "exec python3 -c 'x = bytearray(600 << 20)'", { resources })],
    });
    const pod = await space.until("p", isTerminated);
    expect(pod.status?.phase).toBe("Failed");
    expect(terminated(pod)).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
  });

  check("93 a command that cannot be run is a StartError", async (space, { expect }) => {
    await space.pod("p", { containers: [{ name: "a", command: ["nosuch"] }] });
    const pod = await space.until("p", isTerminated);
    const message = expect.stringContaining('exec: "nosuch": executable file not found in $PATH');
    expect(terminated(pod)).toMatchObject({ exitCode: 128, reason: "StartError", message });
    expect((await space.untilEvent("p", "Failed")).message).toContain('exec: "nosuch"');
  });

  check("94 a pod ends with its deadline", async (space, { expect }) => {
    await space.pod("p", { activeDeadlineSeconds: 2, containers: [sh("a", "exec sleep 60")] });
    const { status } = await space.until("p", isTerminated);
    expect(status).toMatchObject({
      ...{ phase: "Failed", reason: "DeadlineExceeded" },
      message: "Pod was active on the node longer than the specified deadline",
    });
    await space.untilEvent("p", "DeadlineExceeded");
  });

  check("95 a pod with one finished container is running and not ready", async (space, { expect }) => {
    await space.pod("p", { containers: [sh("a", "true"), sh("b", "sleep 3")] });
    const pod = await space.until("p", (seen) => running(seen) && terminated(seen, "a") !== undefined);
    expect(conditionsOf(pod)["Ready"]).toBe("False ContainersNotReady");
    expect((await space.until("p", isTerminated)).status?.phase).toBe("Succeeded");
  });

  check(
    "96 a deleted pod gets SIGTERM and its grace period, is shown as finished, then removed",
    async (space, { expect }) => {
      await space.pod("kind", {
        terminationGracePeriodSeconds: 20,
        containers: [sh("a", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.1; done")],
      });
      await space.pod("deaf", {
        terminationGracePeriodSeconds: 1,
        containers: [sh("a", "trap '' TERM; echo ready; while :; do sleep 0.1; done")],
      });
      const ends: string[] = [];
      const watched = space.client.watch(`${space.at("pods")}?watch=true`, 100, undefined, ({ type, object }) => {
        const pod: Pod = JSON.parse(JSON.stringify(object));
        const { exitCode } = terminated(pod) ?? {};
        if (exitCode !== undefined || type === "DELETED")
          ends.push(`${type} ${pod.metadata?.name} ${pod.status?.phase} ${exitCode}`);
        return ends.filter((end) => end.startsWith("DELETED")).length < 2;
      });
      for (const name of ["kind", "deaf"]) {
        while ((await space.log(name)) !== "ready\n") await clock.sleep(100);
      }
      await space.remove("kind");
      await space.remove("deaf");
      await watched;
      expect(ends).toContain("MODIFIED kind Failed 7");
      expect(ends).toContain("DELETED kind Failed 7");
      expect(ends).toContain("MODIFIED deaf Failed 137");
      expect(ends).toContain("DELETED deaf Failed 137");
    },
  );
});
