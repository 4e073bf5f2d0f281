import { describe } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { podClusters } from "../pod-cluster.ts";
import { conditionsOf, isTerminated, sh, stateOf } from "../test-namespace.ts";
import { podChecks, running, terminated, waitsFor } from "./pod-checks.ts";

const { clock } = nodeHost();

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("86 init containers run in order, and a failed one blocks the others", async (space, { expect }) => {
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const shared = { volumes: [{ name: "v", emptyDir: {} }] };
    await space.pod("good", {
      ...shared,
      initContainers: [
        sh("one", "echo one >> /v/f", { volumeMounts }),
        sh("two", "echo two >> /v/f", { volumeMounts }),
      ],
      containers: [sh("a", "cat /v/f", { volumeMounts })],
    });
    await space.pod("bad", {
      initContainers: [sh("one", "exit 4"), sh("two", "true")],
      containers: [sh("a", "true")],
    });
    await space.until("good", isTerminated);
    expect(await space.log("good")).toBe("one\ntwo\n");
    const bad = await space.until("bad", isTerminated);
    expect(bad.status?.phase).toBe("Failed");
    expect(terminated(bad, "one")).toMatchObject({ exitCode: 4, reason: "Error" });
    expect([stateOf(bad, "two").waiting, stateOf(bad).waiting]).toMatchObject([
      { reason: "PodInitializing" },
      { reason: "PodInitializing" },
    ]);
    expect(conditionsOf(bad)).toMatchObject({ Initialized: "False ContainersNotInitialized" });
  });

  check("86 a sidecar starts before the other containers, and ends after them", async (space, { expect }) => {
    const script = (name: string) =>
      `trap 'echo ${name} ends; echo ${name} >> /v/end; exit 0' TERM; echo ${name} >> /v/start; while :; do sleep 0.1; done`;
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const wrote = (name: string) => ({ exec: { command: ["grep", name, "/v/start"] }, periodSeconds: 1 });
    await space.pod("p", {
      ...{ terminationGracePeriodSeconds: 20, volumes: [{ name: "v", emptyDir: {} }] },
      initContainers: [
        sh("s1", script("s1"), { restartPolicy: "Always", volumeMounts, startupProbe: wrote("s1") }),
        sh("s2", script("s2"), { restartPolicy: "Always", volumeMounts, startupProbe: wrote("s2") }),
        sh("i", "cat /v/start > /v/seen; echo i >> /v/start", { volumeMounts }),
      ],
      containers: [sh("a", "cat /v/seen; sleep 1; echo done >> /v/end", { volumeMounts })],
    });
    const pod = await space.until("p", isTerminated);
    expect(pod.status?.phase).toBe("Succeeded");
    expect(await space.log("p", "container=a")).toBe("s1\ns2\n");
    const ends = [terminated(pod, "s2"), terminated(pod, "s1")].map((end) => String(end?.finishedAt));
    expect([...ends].sort()).toEqual(ends);
    expect(await space.log("p", "container=s2")).toBe("s2 ends\n");
    expect(terminated(pod, "s1")).toMatchObject({ exitCode: 0 });
  });

  check("87 a failed container is restarted with increasing delays", async (space, { expect }) => {
    await space.pod("p", { restartPolicy: "OnFailure", containers: [sh("a", "echo run; exit 5")] });
    const pod = await space.until("p", (seen) => waitsFor("CrashLoopBackOff")(seen) && stateOf(seen).restarts === 1);
    const { uid = "" } = pod.metadata ?? {};
    expect(stateOf(pod).waiting?.message).toBe(
      `back-off 10s restarting failed container=a pod=p_${space.namespace}(${uid})`,
    );
    expect([pod.status?.phase, stateOf(pod).last]).toMatchObject([
      "Running",
      { terminated: { exitCode: 5, reason: "Error" } },
    ]);
    const event = await space.untilEvent("p", "BackOff");
    expect(event.message).toBe(`Back-off restarting failed container a in pod p_${space.namespace}(${uid})`);
    await space.until("p", (seen) => stateOf(seen).restarts === 2);
    const started = (await space.events("p")).find(({ reason }) => reason === "Started");
    expect(started?.count).toBeGreaterThanOrEqual(2);
  });

  check("87 a container that succeeds ends its pod with OnFailure, and not with Always", async (space, { expect }) => {
    await space.pod("once", { restartPolicy: "OnFailure", containers: [sh("a", "true")] });
    await space.pod("ever", { restartPolicy: "Always", containers: [sh("a", "true")] });
    expect((await space.until("once", isTerminated)).status?.phase).toBe("Succeeded");
    const ever = await space.until("ever", (pod) => stateOf(pod).restarts === 1);
    expect([ever.status?.phase, stateOf(ever).last]).toMatchObject([
      "Running",
      { terminated: { exitCode: 0, reason: "Completed" } },
    ]);
  });

  check("97 hooks run after the start and before the end", async (space, { expect }) => {
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const append = (text: string) => ({ exec: { command: ["sh", "-c", `echo ${text} >> /v/f`] } });
    await space.pod("p", {
      ...{ terminationGracePeriodSeconds: 20, volumes: [{ name: "v", emptyDir: {} }] },
      containers: [
        sh("a", "trap 'echo term >> /v/f; cat /v/f; exit 0' TERM; while :; do sleep 0.1; done", {
          volumeMounts,
          lifecycle: { postStart: append("started"), preStop: append("stopping") },
        }),
      ],
    });
    await space.until("p", running);
    const followed = space.log("p", "follow=true");
    await space.remove("p");
    expect(await followed).toBe("started\nstopping\nterm\n");
  });

  check(
    "97 failed hooks are reported, and a container whose postStart hook fails is killed",
    async (space, { expect }) => {
      const fails = { exec: { command: ["sh", "-c", "echo no; exit 3"] } };
      await space.pod("start", {
        containers: [sh("a", "exec sleep 60", { lifecycle: { postStart: fails } })],
      });
      await space.pod("stop", { containers: [sh("a", "exec sleep 60", { lifecycle: { preStop: fails } })] });
      const pod = await space.until("start", isTerminated);
      expect(pod.status?.phase).toBe("Failed");
      expect((await space.untilEvent("start", "FailedPostStartHook")).message).toBe("PostStartHook failed");
      expect((await space.untilEvent("start", "Killing")).message).toBe("FailedPostStartHook");
      const { uid } = (await space.until("stop", running)).metadata ?? {};
      await space.remove("stop");
      const path = `${space.at("events")}?fieldSelector=involvedObject.uid%3D${uid},reason%3DFailedPreStopHook`;
      let found = "";
      for (let tries = 0; tries < 100 && !found.includes("PreStopHook failed"); tries += 1) {
        found = (await space.client.call("GET", path)).text;
        await clock.sleep(100);
      }
      expect(found).toContain("PreStopHook failed");
    },
  );
});
