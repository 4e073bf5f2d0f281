import { afterAll, beforeAll, beforeEach, describe, type TestContext, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import type { Pod } from "../../src/kube/types.ts";
import { missingOf } from "../requirements.ts";
import { requires } from "../test-with.ts";
import { type OpenPodCluster, podClusters } from "./pod-cluster.ts";
import { conditionsOf, createTestNamespace, isTerminated, sh, stateOf, type TestNamespace } from "./test-namespace.ts";

// The numbers are those of the checks in the conformance list; lower ones are in api.test.ts.

const { clock } = nodeHost();

describe.each(podClusters())("pods of $name", { concurrent: true }, ({ open, isolates, required }) => {
  let cluster: OpenPodCluster | undefined;
  beforeAll(async () => {
    if (missingOf(required) === undefined) cluster = await open();
  });
  afterAll(() => cluster?.close());
  beforeEach(requires(required));

  /** Runs a check in its own namespace. */
  function check(name: string, run: (space: TestNamespace, context: TestContext) => Promise<void>): void {
    test(name, async (context) => {
      if (cluster === undefined) throw new Error("the cluster has not started");
      const space = await createTestNamespace(cluster);
      try {
        await run(space, context);
      } finally {
        await space.close();
      }
    });
  }
  const running = ({ status }: Pod) => status?.phase === "Running";
  const ready = (pod: Pod) => conditionsOf(pod)["Ready"] === "True";
  const terminated = (pod: Pod, which: number | string = 0) => stateOf(pod, which).terminated;
  const waitsFor = (reason: string) => (pod: Pod) => stateOf(pod).waiting?.reason === reason;
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

  check("88 a pod waits for the config map of its volume", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", configMap: { name: "late" } }],
      containers: [sh("a", "cat /v/k", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const event = await space.untilEvent("p", "FailedMount");
    expect(event.message).toBe('MountVolume.SetUp failed for volume "v" : configmap "late" not found');
    expect(stateOf(await space.get("p")).waiting?.reason).toBe("ContainerCreating");
    await space.create("configmaps", { kind: "ConfigMap", metadata: { name: "late" }, data: { k: "text" } });
    await space.until("p", isTerminated);
    expect(await space.log("p")).toBe("text");
  });

  check("88 a pod does not wait for a volume that no container mounts", async (space, { expect }) => {
    const volumes = [{ name: "v", configMap: { name: "never" } }];
    await space.pod("p", { volumes, containers: [sh("a", "true")] });
    expect((await space.until("p", isTerminated)).status?.phase).toBe("Succeeded");
  });

  check("89 a missing source of a variable is reported; an optional one is omitted", async (space, { expect }) => {
    const env = (optional: boolean) => [
      { name: "X", valueFrom: { secretKeyRef: { name: "nos", key: "k", optional } } },
    ];
    await space.pod("strict", { containers: [sh("a", "true", { env: env(false) })] });
    await space.pod("easy", { containers: [sh("a", 'echo "$' + '{X-none}"', { env: env(true) })] });
    const strict = await space.until("strict", waitsFor("CreateContainerConfigError"));
    expect(stateOf(strict).waiting?.message).toBe('secret "nos" not found');
    expect((await space.untilEvent("strict", "Failed")).message).toBe('Error: secret "nos" not found');
    await space.until("easy", isTerminated);
    expect(await space.log("easy")).toBe("none\n");
  });

  check("90 an unavailable image is reported, depending on its pull policy", async (space, { expect }) => {
    const image = "nosuch.invalid/nothing:1";
    await space.pod("pull", { containers: [sh("a", "true", { image })] });
    await space.pod("never", { containers: [sh("a", "true", { image, imagePullPolicy: "Never" })] });
    await space.pod("invalid", { containers: [sh("a", "true", { image: "Not An Image" })] });
    const states = async (name: string, reason: string) => stateOf(await space.until(name, waitsFor(reason))).waiting;
    expect((await states("pull", "ErrImagePull"))?.message).toContain(image);
    expect((await states("pull", "ImagePullBackOff"))?.message).toContain(`Back-off pulling image "${image}"`);
    expect((await states("never", "ErrImageNeverPull"))?.message).toBe(
      `Container image "${image}" is not present with pull policy of Never`,
    );
    expect((await states("invalid", "InvalidImageName"))?.message).toContain("Not An Image");
    expect((await space.untilEvent("pull", "BackOff")).message).toBe(`Back-off pulling image "${image}"`);
    expect(await space.log("pull")).toMatch(
      /container \\"a\\" in pod \\"pull\\" is waiting to start: (trying and failing to pull image|image can't be pulled)/,
    );
  });

  check("91 a pod waits unscheduled for its claim", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "late" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const pod = await space.until("p", (seen) => conditionsOf(seen)["PodScheduled"] !== undefined);
    expect(conditionsOf(pod)["PodScheduled"]).toBe("False Unschedulable");
    expect((await space.untilEvent("p", "FailedScheduling")).message).toContain(
      'persistentvolumeclaim "late" not found',
    );
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

  check("98 variables are resolved in order, from all their sources", async (space, { expect }) => {
    await space.create("configmaps", { kind: "ConfigMap", metadata: { name: "c" }, data: { K: "v" } });
    await space.pod("p", {
      containers: [
        sh("a", "env | sort", {
          resources: { limits: { memory: "100Mi" }, requests: { cpu: "250m" } },
          envFrom: [{ prefix: "PRE_", configMapRef: { name: "c" } }],
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "b-$(A)-$(LATER)-$$(A)-$(PRE_K)" },
            { name: "LATER", value: "2" },
            { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "requests.cpu" } } },
            {
              name: "MEMORY",
              valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } },
            },
          ],
        }),
      ],
    });
    const { status } = await space.until("p", isTerminated);
    const env = new Set((await space.log("p")).split("\n"));
    const expected = [
      "A=1",
      "B=b-1-$(LATER)-$(A)-v",
      "NAME=p",
      `IP=${status?.podIP}`,
      "CPU=1",
      "MEMORY=100",
      "PRE_K=v",
    ];
    for (const line of [...expected, "HOSTNAME=p"]) expect(env).toContain(line);
    expect([...env].filter((line) => /^KUBERNETES_SERVICE_(HOST|PORT)=/.test(line))).toHaveLength(2);
  });

  check("99 volumes show objects in the kubelet's layout, and keep written data", async (space, { expect }) => {
    await space.create("configmaps", {
      kind: "ConfigMap",
      metadata: { name: "c" },
      data: { k: "one", other: "two" },
    });
    await space.create("secrets", {
      kind: "Secret",
      metadata: { name: "s" },
      stringData: { pass: "word" },
    });
    await space.pod("p", {
      volumes: [
        { name: "c", configMap: { name: "c", items: [{ key: "k", path: "deep/k", mode: 0o444 }] } },
        { name: "s", secret: { secretName: "s", defaultMode: 0o440 } },
        {
          name: "d",
          downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] },
        },
        {
          name: "t",
          projected: {
            sources: [
              { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
              { configMap: { name: "c", items: [{ key: "other", path: "other" }] } },
            ],
          },
        },
        { name: "e", emptyDir: {} },
      ],
      initContainers: [
        sh("i", "echo sub > /e/file", { volumeMounts: [{ name: "e", mountPath: "/e", subPath: "a/b" }] }),
      ],
      containers: [
        sh(
          "a",
          "cat /c/deep/k; echo; readlink /c/deep | sed 's/^.*data/data/'; stat -L -c %a /c/deep/k; cat /s/pass; echo; cat /d/labels; echo; cut -d. -f1 /t/token | cut -c1-3; cat /t/other; echo; cat /e/a/b/file; cat /named/file; touch /ro/x 2>/dev/null || echo readonly",
          {
            env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            volumeMounts: [
              { name: "c", mountPath: "/c" },
              { name: "s", mountPath: "/s" },
              { name: "d", mountPath: "/d" },
              { name: "t", mountPath: "/t" },
              { name: "e", mountPath: "/e" },
              { name: "e", mountPath: "/named", subPathExpr: "a/b" },
              ...(isolates ? [{ name: "e", mountPath: "/ro", readOnly: true }] : []),
            ],
          },
        ),
      ],
    });
    await space.until("p", isTerminated);
    const link = isolates ? "data/deep\n444\n" : expect.anything();
    const text = await space.log("p", "container=a");
    if (isolates) {
      expect(text).toBe(`one\n${link}word\napp="p"\neyJ\ntwo\nsub\nsub\nreadonly\n`);
    } else {
      expect(text).toMatch(/^one\n[\s\S]*word\napp="p"\neyJ\ntwo\nsub\nsub\n/);
    }
  });

  check("99 an emptyDir above its size limit evicts its pod", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }],
      containers: [
        sh("a", "trap '' TERM; head -c 3000000 /dev/zero > /v/f; while :; do sleep 0.1; done", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }),
      ],
    });
    const pod = await space.until("p", isTerminated);
    const message = 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ';
    expect(pod.status).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect((await space.untilEvent("p", "Evicted")).message).toBe(message);
    expect(terminated(pod)).toMatchObject({ exitCode: 137, reason: "Error" });
  });

  check("99 a pod above its ephemeral storage limit is evicted", async (space, { expect }) => {
    const resources = { limits: { "ephemeral-storage": "2Mi" } };
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        sh("a", "head -c 3000000 /dev/zero > /v/f; exec sleep 100", {
          ...{ resources, volumeMounts: [{ name: "v", mountPath: "/v" }] },
        }),
      ],
    });
    expect((await space.until("p", isTerminated)).status).toMatchObject({
      ...{ phase: "Failed", reason: "Evicted" },
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ",
    });
  });

  check("99 an unknown variable in a volume path is reported", async (space, { expect }) => {
    const volumeMounts = [{ name: "v", mountPath: "/v", subPathExpr: "$(NOPE)" }];
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [sh("a", "true", { volumeMounts })],
    });
    const pod = await space.until("p", waitsFor("CreateContainerConfigError"));
    expect(stateOf(pod).waiting?.message).toBe("missing value for NOPE");
  });

  check("100 the hosts file has the pod's own name, its aliases and its full name", async (space, { expect }) => {
    await space.pod("p", {
      ...{
        hostname: "me",
        subdomain: "sub",
        hostAliases: [{ ip: "10.9.8.7", hostnames: ["far", "away"] }],
      },
      containers: [sh("a", "cat /etc/hosts; hostname")],
    });
    const { status } = await space.until("p", isTerminated);
    const lines = (await space.log("p")).split("\n");
    if (isolates) {
      expect(lines).toContain(`${status?.podIP}\tme.sub.${space.namespace}.svc.cluster.local\tme`);
      expect(lines).toContain("10.9.8.7\tfar\taway");
      expect(lines.at(-2)).toBe("me");
    }
  });

  check("101 a readiness probe decides on Ready and on the endpoints", async (space, { expect }) => {
    await space.create("services", {
      kind: "Service",
      metadata: { name: "s" },
      spec: { selector: { app: "p" }, ports: [{ port: 80 }] },
    });
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        sh("a", "sleep 4; touch /v/ready; sleep 4; rm /v/ready; exec sleep 60", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
          readinessProbe: {
            ...{ exec: { command: ["cat", "/v/ready"] }, periodSeconds: 1, failureThreshold: 1 },
          },
        }),
      ],
    });
    const endpoints = async () => (await space.client.call("GET", space.at("endpoints", "s"))).text;
    const unready = await space.until("p", running);
    expect([stateOf(unready).ready, conditionsOf(unready)["Ready"]]).toEqual([false, "False ContainersNotReady"]);
    const pod = await space.until("p", ready);
    for (let tries = 0; tries < 30 && !(await endpoints()).includes('"addresses"'); tries += 1) await clock.sleep(100);
    expect(await endpoints()).toContain(`"ip":"${pod.status?.podIP}"`);
    await space.until("p", (seen) => !ready(seen));
    for (let tries = 0; tries < 30 && !(await endpoints()).includes("notReadyAddresses"); tries += 1)
      await clock.sleep(100);
    expect(await endpoints()).toContain("notReadyAddresses");
    expect((await space.untilEvent("p", "Unhealthy")).message).toMatch(
      /^Readiness probe failed: cat: .*No such file or directory\n?$/,
    );
  });

  check("101 a service forwards to its ready pods, by address, name and node port", async (space, { expect }) => {
    const serve =
      "import http.server as h, os\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s): s.send_response(200); s.end_headers(); s.wfile.write(b'hello ')\nh.HTTPServer((os.environ['IP'], 18100), H).serve_forever()";
    const ip = { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
    await space.pod("server", {
      containers: [
        {
          ...{ name: "a", command: ["python3", "-c", serve], env: [ip] },
          ports: [{ name: "web", containerPort: 18100 }],
          readinessProbe: { tcpSocket: { port: "web" }, periodSeconds: 1 },
        },
      ],
    });
    const ports = [{ port: 18101, targetPort: "web" }];
    const selector = { app: "server" };
    const service = (name: string, spec: object) =>
      space.create("services", { kind: "Service", metadata: { name }, spec: { selector, ports, ...spec } });
    await service("front", { type: "NodePort" });
    await service("behind", { clusterIP: "None" });
    const { status } = await space.until("server", ready);
    const { spec } = (await space.client.call("GET", space.at("services", "front"))).body;
    const [port] = JSON.parse(JSON.stringify(spec["ports"]));
    const domain = `${space.namespace}.svc.cluster.local`;
    const targets = [
      `${spec["clusterIP"]}:18101`,
      `${status?.hostIP}:${port.nodePort}`,
      ...(isolates ? ["front:18101", `front.${domain}:18101`, `behind.${domain}:18100`] : []),
    ];
    const script = `for target in ${targets.join(" ")}; do until python3 -c "import urllib.request as u; print(u.urlopen('http://$target', timeout=2).read().decode(), end='')" 2>/dev/null; do sleep 0.2; done; done`;
    await space.pod("client", { activeDeadlineSeconds: 50, containers: [sh("a", script)] });
    await space.until("client", isTerminated);
    expect(await space.log("client")).toBe("hello ".repeat(targets.length));
  });

  check("101 a failed liveness probe restarts its container", async (space, { expect }) => {
    await space.pod("p", {
      ...{ restartPolicy: "Always" },
      containers: [
        // The first process of a container ignores signals that it does not handle.
        sh("a", "trap 'exit 9' TERM; while :; do sleep 0.1; done", {
          livenessProbe: { tcpSocket: { port: 9 }, periodSeconds: 1, failureThreshold: 2 },
        }),
      ],
    });
    const pod = await space.until("p", (seen) => stateOf(seen).restarts === 1);
    expect(stateOf(pod).last).toMatchObject({ terminated: { exitCode: 9, reason: "Error" } });
    expect((await space.untilEvent("p", "Unhealthy")).message).toBe(
      `Liveness probe failed: dial tcp ${pod.status?.podIP}:9: connect: connection refused`,
    );
    expect((await space.untilEvent("p", "Killing")).message).toBe(
      "Container a failed liveness probe, will be restarted",
    );
  });

  check("101 a startup probe delays readiness, by HTTP", async (space, { expect }) => {
    const server =
      "import http.server as h, os, time\ntime.sleep(2)\nclass H(h.SimpleHTTPRequestHandler):\n def do_GET(s): s.send_response(200 if s.path == '/up' else 503); s.end_headers()\nh.HTTPServer((os.environ['IP'], 18099), H).serve_forever()";
    await space.pod("p", {
      containers: [
        {
          ...{ name: "a", command: ["python3", "-c", server] },
          env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
          ports: [{ name: "web", containerPort: 18099 }],
          startupProbe: { httpGet: { path: "/up", port: "web" }, periodSeconds: 1, failureThreshold: 30 },
          readinessProbe: { httpGet: { path: "/down", port: 18099 }, periodSeconds: 1 },
        },
      ],
    });
    const started = await space.until("p", (seen) => seen.status?.containerStatuses?.[0]?.started === true);
    expect(stateOf(started).ready).toBe(false);
    const messages = async () =>
      (await space.events("p")).filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
    while ((await messages()).every((message) => !message?.startsWith("Readiness"))) await clock.sleep(100);
    const address = `${started.status?.podIP}:18099`;
    expect(await messages()).toContain(
      `Startup probe failed: Get "http://${address}/up": dial tcp ${address}: connect: connection refused`,
    );
    expect(await messages()).toContain("Readiness probe failed: HTTP probe failed with statuscode: 503");
  });

  check("102 logs can be followed, limited, dated, and read from the previous run", async (space, { expect }) => {
    await space.pod("p", { containers: [sh("a", "echo one; sleep 1; echo two; printf three")] });
    await space.until("p", (pod) => running(pod) || isTerminated(pod));
    expect(await space.log("p", "follow=true")).toBe("one\ntwo\nthree");
    await space.until("p", isTerminated);
    expect(await space.log("p", "tailLines=2")).toBe("two\nthree");
    expect(await space.log("p", "limitBytes=5")).toBe("one\nt");
    expect(await space.log("p", "timestamps=true&tailLines=1")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z three$/);
    const later = new Date(clock.now() + 3_600_000).toISOString();
    expect(await space.log("p", `sinceTime=${later}`)).toBe("");
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    await space.pod("again", {
      ...{ restartPolicy: "OnFailure", volumes: [{ name: "v", emptyDir: {} }] },
      containers: [sh("a", "echo run; [ -e /v/f ] && sleep 100; touch /v/f; exit 1", { volumeMounts })],
    });
    await space.until("again", (pod) => stateOf(pod).restarts === 1);
    expect(await space.log("again", "previous=true")).toBe("run\n");
  });

  check("102 the termination message of a container is its message", async (space, { expect }) => {
    await space.pod("file", { containers: [sh("a", "echo bye > /dev/termination-log; exit 1")] });
    await space.pod("own", {
      containers: [sh("a", "printf own > /tmp/last; exit 0", { terminationMessagePath: "/tmp/last" })],
    });
    const terminationMessagePolicy = "FallbackToLogsOnError";
    await space.pod("log", {
      containers: [sh("a", "echo one; echo two; exit 1", { terminationMessagePolicy })],
    });
    await space.pod("long", { containers: [sh("a", "seq 1 200; exit 1", { terminationMessagePolicy })] });
    await space.pod("fine", { containers: [sh("a", "echo one", { terminationMessagePolicy })] });
    const message = async (name: string) => terminated(await space.until(name, isTerminated))?.message;
    if (isolates) {
      expect(await message("file")).toBe("bye\n");
      expect(await message("own")).toBe("own");
    }
    expect(await message("log")).toBe("one\ntwo\n");
    expect((await message("long"))?.split("\n").slice(0, 1)).toEqual(["121"]);
    expect(await message("fine")).toBeUndefined();
  });

  check("103 missing logs are rejected with the kubelet's messages", async (space, { expect }) => {
    await space.pod("waits", {
      volumes: [{ name: "v", configMap: { name: "never" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    await space.pod("two", { containers: [sh("a", "true"), sh("b", "true")] });
    await space.pod("inits", { initContainers: [sh("i", "sleep 100")], containers: [sh("a", "true")] });
    await space.until("waits", waitsFor("ContainerCreating"));
    await space.until("two", isTerminated);
    await space.until("inits", (pod) => stateOf(pod, "i").running !== undefined);
    const logResponse = async (name: string, query = "") => {
      const { status, body } = await space.client.call("GET", `${space.at("pods", name)}/log?${query}`);
      return `${status} ${body.message}`;
    };
    expect(await logResponse("waits")).toBe('400 container "a" in pod "waits" is waiting to start: ContainerCreating');
    expect(await logResponse("inits", "container=a")).toBe(
      '400 container "a" in pod "inits" is waiting to start: PodInitializing',
    );
    expect(await logResponse("two")).toBe("400 a container name must be specified for pod two, choose one of: [a b]");
    expect(await logResponse("two", "container=zz")).toBe("400 container zz is not valid for pod two");
    expect(await logResponse("two", "container=a&previous=true")).toBe(
      '400 previous terminated container "a" in pod "two" not found',
    );
    expect(await logResponse("two", "container=a&tailLines=-1")).toMatch(/^422 /);
  });

  check("105 events can be selected by their pod's uid, and are counted", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", configMap: { name: "never" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const { metadata } = await space.untilEvent("p", "FailedMount");
    const counted = async () => {
      const { count } = await space.untilEvent("p", "FailedMount");
      return count ?? 0;
    };
    while ((await counted()) < 3) await clock.sleep(200);
    const event = await space.untilEvent("p", "FailedMount");
    expect(event).toMatchObject({
      ...{ type: "Warning", source: { component: "kubelet" }, reportingComponent: "kubelet" },
      involvedObject: { kind: "Pod", name: "p", namespace: space.namespace, apiVersion: "v1" },
    });
    expect(event.metadata.name).toBe(metadata.name);
    expect(event.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
  });
});
