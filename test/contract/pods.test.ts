import { afterAll, beforeAll, beforeEach, describe, type TestContext, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import type { Pod } from "../../src/kube/types.ts";
import { type OpenPodCluster, podClusters } from "./pod-cluster.ts";
import { conditionsOf, isOver, openLab, type PodLab, sh, stateOf } from "./test-namespace.ts";

// The numbers are those of the checks that every cluster is held to; those before are in api.test.ts.

const { clock } = nodeHost();

describe.each(podClusters())("pods of $name", { concurrent: true }, ({ open, isolates }) => {
  let cluster: OpenPodCluster | undefined;
  let refusal = "";
  beforeAll(async () => {
    cluster = await open().catch((error: unknown) => {
      refusal = String(error);
      return undefined;
    });
  });
  afterAll(() => cluster?.close());
  beforeEach(({ skip }) => skip(cluster === undefined, refusal));

  /** A check in a namespace of its own. */
  function check(name: string, run: (lab: PodLab, context: TestContext) => Promise<void>): void {
    test(name, async (context) => {
      if (cluster === undefined) return;
      const lab = await openLab(cluster);
      try {
        await run(lab, context);
      } finally {
        await lab.close();
      }
    });
  }
  const running = ({ status }: Pod) => status?.phase === "Running";
  const ready = (pod: Pod) => conditionsOf(pod)["Ready"] === "True";
  const terminated = (pod: Pod, which: number | string = 0) => stateOf(pod, which).terminated;
  const waitsFor = (reason: string) => (pod: Pod) => stateOf(pod).waiting?.reason === reason;
  const reasons = async (lab: PodLab, name: string) => (await lab.events(name)).map(({ reason }) => reason);

  check("84 a pod goes from Pending by way of Running to Succeeded", async (lab, { expect }) => {
    const watched = lab.client.watch(`${lab.at("pods")}?watch=true`, 60, undefined, ({ type, object }) => {
      const status = JSON.stringify(object.status);
      return type !== "DELETED" && !status.includes('"phase":"Succeeded"');
    });
    await lab.pod("p", { containers: [sh("a", "sleep 1")] });
    const events = await watched;
    const pods = events.map(({ object }): Pod => JSON.parse(JSON.stringify(object)));
    const states = pods.map((pod) => {
      const { waiting, running: runs, terminated: end } = stateOf(pod);
      return `${pod.status?.phase} ${waiting?.reason ?? (runs ? "running" : (end?.reason ?? "-"))}`;
    });
    const story = states.filter((state, index) => state !== states[index - 1]);
    expect(story.filter((state) => state !== "Running Completed")).toEqual([
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
    const seen = await reasons(lab, "p");
    expect(seen.filter((reason) => reason !== "Pulling")).toEqual([
      "Scheduled",
      "Pulled",
      "Created",
      "Started",
    ]);
  });

  check("85 an exit code is told, and a signal as 128 and its number", async (lab, { expect }) => {
    await lab.pod("code", { containers: [sh("a", "exit 3")] });
    await lab.pod("signal", { containers: [sh("a", "sh -c 'kill -9 $$$$'; exit $?")] });
    const [code, signal] = [await lab.until("code", isOver), await lab.until("signal", isOver)];
    expect([code.status?.phase, terminated(code)]).toMatchObject([
      "Failed",
      { exitCode: 3, reason: "Error" },
    ]);
    expect(terminated(signal)).toMatchObject({ exitCode: 137, reason: "Error" });
    expect(conditionsOf(code)).toMatchObject({
      Ready: "False PodFailed",
      ContainersReady: "False PodFailed",
    });
  });

  check(
    "86 init containers run in order, and one that fails keeps the others away",
    async (lab, { expect }) => {
      const volumeMounts = [{ name: "v", mountPath: "/v" }];
      const shared = { volumes: [{ name: "v", emptyDir: {} }] };
      await lab.pod("good", {
        ...shared,
        initContainers: [
          sh("one", "echo one >> /v/f", { volumeMounts }),
          sh("two", "echo two >> /v/f", { volumeMounts }),
        ],
        containers: [sh("a", "cat /v/f", { volumeMounts })],
      });
      await lab.pod("bad", {
        initContainers: [sh("one", "exit 4"), sh("two", "true")],
        containers: [sh("a", "true")],
      });
      await lab.until("good", isOver);
      expect(await lab.log("good")).toBe("one\ntwo\n");
      const bad = await lab.until("bad", isOver);
      expect(bad.status?.phase).toBe("Failed");
      expect(terminated(bad, "one")).toMatchObject({ exitCode: 4, reason: "Error" });
      expect([stateOf(bad, "two").waiting, stateOf(bad).waiting]).toMatchObject([
        { reason: "PodInitializing" },
        { reason: "PodInitializing" },
      ]);
      expect(conditionsOf(bad)).toMatchObject({ Initialized: "False ContainersNotInitialized" });
    },
  );

  check("86 a side-car starts before the others, and ends after them", async (lab, { expect }) => {
    const script = (name: string) =>
      `trap 'echo ${name} ends; echo ${name} >> /v/end; exit 0' TERM; echo ${name} >> /v/start; while :; do sleep 0.1; done`;
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const wrote = (name: string) => ({ exec: { command: ["grep", name, "/v/start"] }, periodSeconds: 1 });
    await lab.pod("p", {
      ...{ terminationGracePeriodSeconds: 20, volumes: [{ name: "v", emptyDir: {} }] },
      initContainers: [
        sh("s1", script("s1"), { restartPolicy: "Always", volumeMounts, startupProbe: wrote("s1") }),
        sh("s2", script("s2"), { restartPolicy: "Always", volumeMounts, startupProbe: wrote("s2") }),
        sh("i", "cat /v/start > /v/seen; echo i >> /v/start", { volumeMounts }),
      ],
      containers: [sh("a", "cat /v/seen; sleep 1; echo done >> /v/end", { volumeMounts })],
    });
    const pod = await lab.until("p", isOver);
    expect(pod.status?.phase).toBe("Succeeded");
    expect(await lab.log("p", "container=a")).toBe("s1\ns2\n");
    const ends = [terminated(pod, "s2"), terminated(pod, "s1")].map((end) => String(end?.finishedAt));
    expect([...ends].sort()).toEqual(ends);
    expect(await lab.log("p", "container=s2")).toBe("s2 ends\n");
    expect(terminated(pod, "s1")).toMatchObject({ exitCode: 0 });
  });

  check("87 a container that fails is started again, with growing pauses", async (lab, { expect }) => {
    await lab.pod("p", { restartPolicy: "OnFailure", containers: [sh("a", "echo run; exit 5")] });
    const pod = await lab.until(
      "p",
      (seen) => waitsFor("CrashLoopBackOff")(seen) && stateOf(seen).restarts === 1,
    );
    const { uid = "" } = pod.metadata ?? {};
    expect(stateOf(pod).waiting?.message).toBe(
      `back-off 10s restarting failed container=a pod=p_${lab.namespace}(${uid})`,
    );
    expect([pod.status?.phase, stateOf(pod).last]).toMatchObject([
      "Running",
      { terminated: { exitCode: 5, reason: "Error" } },
    ]);
    const event = await lab.untilEvent("p", "BackOff");
    expect(event.message).toBe(`Back-off restarting failed container a in pod p_${lab.namespace}(${uid})`);
    await lab.until("p", (seen) => stateOf(seen).restarts === 2);
    const started = (await lab.events("p")).find(({ reason }) => reason === "Started");
    expect(started?.count).toBeGreaterThanOrEqual(2);
  });

  check(
    "87 a container that succeeds ends its pod with OnFailure, and not with Always",
    async (lab, { expect }) => {
      await lab.pod("once", { restartPolicy: "OnFailure", containers: [sh("a", "true")] });
      await lab.pod("ever", { restartPolicy: "Always", containers: [sh("a", "true")] });
      expect((await lab.until("once", isOver)).status?.phase).toBe("Succeeded");
      const ever = await lab.until("ever", (pod) => stateOf(pod).restarts === 1);
      expect([ever.status?.phase, stateOf(ever).last]).toMatchObject([
        "Running",
        { terminated: { exitCode: 0, reason: "Completed" } },
      ]);
    },
  );

  check("88 a pod waits for the map that its volume shows", async (lab, { expect }) => {
    await lab.pod("p", {
      volumes: [{ name: "v", configMap: { name: "late" } }],
      containers: [sh("a", "cat /v/k", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const event = await lab.untilEvent("p", "FailedMount");
    expect(event.message).toBe('MountVolume.SetUp failed for volume "v" : configmap "late" not found');
    expect(stateOf(await lab.get("p")).waiting?.reason).toBe("ContainerCreating");
    await lab.create("configmaps", { kind: "ConfigMap", metadata: { name: "late" }, data: { k: "text" } });
    await lab.until("p", isOver);
    expect(await lab.log("p")).toBe("text");
  });

  check("88 a volume that no container mounts is not waited for", async (lab, { expect }) => {
    const volumes = [{ name: "v", configMap: { name: "never" } }];
    await lab.pod("p", { volumes, containers: [sh("a", "true")] });
    expect((await lab.until("p", isOver)).status?.phase).toBe("Succeeded");
  });

  check(
    "89 a variable's source that is missing is told; an optional one is left out",
    async (lab, { expect }) => {
      const env = (optional: boolean) => [
        { name: "X", valueFrom: { secretKeyRef: { name: "nos", key: "k", optional } } },
      ];
      await lab.pod("strict", { containers: [sh("a", "true", { env: env(false) })] });
      await lab.pod("easy", { containers: [sh("a", 'echo "$' + '{X-none}"', { env: env(true) })] });
      const strict = await lab.until("strict", waitsFor("CreateContainerConfigError"));
      expect(stateOf(strict).waiting?.message).toBe('secret "nos" not found');
      expect((await lab.untilEvent("strict", "Failed")).message).toBe('Error: secret "nos" not found');
      await lab.until("easy", isOver);
      expect(await lab.log("easy")).toBe("none\n");
    },
  );

  check("90 an image that cannot be had is told, by its policy", async (lab, { expect }) => {
    const image = "nosuch.invalid/nothing:1";
    await lab.pod("pull", { containers: [sh("a", "true", { image })] });
    await lab.pod("never", { containers: [sh("a", "true", { image, imagePullPolicy: "Never" })] });
    await lab.pod("odd", { containers: [sh("a", "true", { image: "Not An Image" })] });
    const states = async (name: string, reason: string) =>
      stateOf(await lab.until(name, waitsFor(reason))).waiting;
    expect((await states("pull", "ErrImagePull"))?.message).toContain(image);
    expect((await states("pull", "ImagePullBackOff"))?.message).toContain(
      `Back-off pulling image "${image}"`,
    );
    expect((await states("never", "ErrImageNeverPull"))?.message).toBe(
      `Container image "${image}" is not present with pull policy of Never`,
    );
    expect((await states("odd", "InvalidImageName"))?.message).toContain("Not An Image");
    expect((await lab.untilEvent("pull", "BackOff")).message).toBe(`Back-off pulling image "${image}"`);
    expect(await lab.log("pull")).toMatch(
      /container \\"a\\" in pod \\"pull\\" is waiting to start: (trying and failing to pull image|image can't be pulled)/,
    );
  });

  check("91 a pod waits unscheduled for its claim", async (lab, { expect }) => {
    await lab.pod("p", {
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "late" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const pod = await lab.until("p", (seen) => conditionsOf(seen)["PodScheduled"] !== undefined);
    expect(conditionsOf(pod)["PodScheduled"]).toBe("False Unschedulable");
    expect((await lab.untilEvent("p", "FailedScheduling")).message).toContain(
      'persistentvolumeclaim "late" not found',
    );
  });

  check("92 a container that takes more memory than its limit is OOMKilled", async (lab, { expect }) => {
    const resources = { limits: { memory: "64Mi" } };
    await lab.pod("p", {
      containers: [sh("a", "exec python3 -c 'x = bytearray(600 << 20)'", { resources })],
    });
    const pod = await lab.until("p", isOver);
    expect(pod.status?.phase).toBe("Failed");
    expect(terminated(pod)).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
  });

  check("93 a command that cannot be run is a StartError", async (lab, { expect }) => {
    await lab.pod("p", { containers: [{ name: "a", command: ["nosuch"] }] });
    const pod = await lab.until("p", isOver);
    const message = expect.stringContaining('exec: "nosuch": executable file not found in $PATH');
    expect(terminated(pod)).toMatchObject({ exitCode: 128, reason: "StartError", message });
    expect((await lab.untilEvent("p", "Failed")).message).toContain('exec: "nosuch"');
  });

  check("94 a pod ends with its deadline", async (lab, { expect }) => {
    await lab.pod("p", { activeDeadlineSeconds: 2, containers: [sh("a", "exec sleep 60")] });
    const { status } = await lab.until("p", isOver);
    expect(status).toMatchObject({
      ...{ phase: "Failed", reason: "DeadlineExceeded" },
      message: "Pod was active on the node longer than the specified deadline",
    });
    await lab.untilEvent("p", "DeadlineExceeded");
  });

  check("95 a pod of which one container ended runs, and is not ready", async (lab, { expect }) => {
    await lab.pod("p", { containers: [sh("a", "true"), sh("b", "sleep 3")] });
    const pod = await lab.until("p", (seen) => running(seen) && terminated(seen, "a") !== undefined);
    expect(conditionsOf(pod)["Ready"]).toBe("False ContainersNotReady");
    expect((await lab.until("p", isOver)).status?.phase).toBe("Succeeded");
  });

  check(
    "96 a pod that is deleted gets SIGTERM and its grace, is seen ended, then gone",
    async (lab, { expect }) => {
      await lab.pod("kind", {
        terminationGracePeriodSeconds: 20,
        containers: [sh("a", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.1; done")],
      });
      await lab.pod("deaf", {
        terminationGracePeriodSeconds: 1,
        containers: [sh("a", "trap '' TERM; echo ready; while :; do sleep 0.1; done")],
      });
      const ends: string[] = [];
      const watched = lab.client.watch(`${lab.at("pods")}?watch=true`, 100, undefined, ({ type, object }) => {
        const pod: Pod = JSON.parse(JSON.stringify(object));
        const { exitCode } = terminated(pod) ?? {};
        if (exitCode !== undefined || type === "DELETED")
          ends.push(`${type} ${pod.metadata?.name} ${pod.status?.phase} ${exitCode}`);
        return ends.filter((end) => end.startsWith("DELETED")).length < 2;
      });
      for (const name of ["kind", "deaf"]) {
        while ((await lab.log(name)) !== "ready\n") await clock.sleep(100);
      }
      await lab.remove("kind");
      await lab.remove("deaf");
      await watched;
      expect(ends).toContain("MODIFIED kind Failed 7");
      expect(ends).toContain("DELETED kind Failed 7");
      expect(ends).toContain("MODIFIED deaf Failed 137");
      expect(ends).toContain("DELETED deaf Failed 137");
    },
  );

  check("97 hooks run after the start and before the end", async (lab, { expect }) => {
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const says = (word: string) => ({ exec: { command: ["sh", "-c", `echo ${word} >> /v/f`] } });
    await lab.pod("p", {
      ...{ terminationGracePeriodSeconds: 20, volumes: [{ name: "v", emptyDir: {} }] },
      containers: [
        sh("a", "trap 'echo term >> /v/f; cat /v/f; exit 0' TERM; while :; do sleep 0.1; done", {
          volumeMounts,
          lifecycle: { postStart: says("started"), preStop: says("stopping") },
        }),
      ],
    });
    await lab.until("p", running);
    const followed = lab.log("p", "follow=true");
    await lab.remove("p");
    expect(await followed).toBe("started\nstopping\nterm\n");
  });

  check(
    "97 hooks that fail are told, and a container whose start hook fails is ended",
    async (lab, { expect }) => {
      const fails = { exec: { command: ["sh", "-c", "echo no; exit 3"] } };
      await lab.pod("start", { containers: [sh("a", "exec sleep 60", { lifecycle: { postStart: fails } })] });
      await lab.pod("stop", { containers: [sh("a", "exec sleep 60", { lifecycle: { preStop: fails } })] });
      const pod = await lab.until("start", isOver);
      expect(pod.status?.phase).toBe("Failed");
      expect((await lab.untilEvent("start", "FailedPostStartHook")).message).toBe("PostStartHook failed");
      expect((await lab.untilEvent("start", "Killing")).message).toBe("FailedPostStartHook");
      const { uid } = (await lab.until("stop", running)).metadata ?? {};
      await lab.remove("stop");
      const path = `${lab.at("events")}?fieldSelector=involvedObject.uid%3D${uid},reason%3DFailedPreStopHook`;
      let found = "";
      for (let tries = 0; tries < 100 && !found.includes("PreStopHook failed"); tries += 1) {
        found = (await lab.client.call("GET", path)).text;
        await clock.sleep(100);
      }
      expect(found).toContain("PreStopHook failed");
    },
  );

  check("98 variables are resolved in order, from all their sources", async (lab, { expect }) => {
    await lab.create("configmaps", { kind: "ConfigMap", metadata: { name: "c" }, data: { K: "v" } });
    await lab.pod("p", {
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
    const { status } = await lab.until("p", isOver);
    const env = new Set((await lab.log("p")).split("\n"));
    const wanted = [
      "A=1",
      "B=b-1-$(LATER)-$(A)-v",
      "NAME=p",
      `IP=${status?.podIP}`,
      "CPU=1",
      "MEMORY=100",
      "PRE_K=v",
    ];
    for (const line of [...wanted, "HOSTNAME=p"]) expect(env).toContain(line);
    expect([...env].filter((line) => /^KUBERNETES_SERVICE_(HOST|PORT)=/.test(line))).toHaveLength(2);
  });

  check(
    "99 volumes show objects in the kubelet's layout, and keep what is written",
    async (lab, { expect }) => {
      await lab.create("configmaps", {
        kind: "ConfigMap",
        metadata: { name: "c" },
        data: { k: "one", other: "two" },
      });
      await lab.create("secrets", { kind: "Secret", metadata: { name: "s" }, stringData: { pass: "word" } });
      await lab.pod("p", {
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
      await lab.until("p", isOver);
      const link = isolates ? "data/deep\n444\n" : expect.anything();
      const text = await lab.log("p", "container=a");
      if (isolates) {
        expect(text).toBe(`one\n${link}word\napp="p"\neyJ\ntwo\nsub\nsub\nreadonly\n`);
      } else {
        expect(text).toMatch(/^one\n[\s\S]*word\napp="p"\neyJ\ntwo\nsub\nsub\n/);
      }
    },
  );

  check("99 an empty directory that takes too much evicts its pod", async (lab, { expect }) => {
    await lab.pod("p", {
      volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }],
      containers: [
        sh("a", "trap '' TERM; head -c 3000000 /dev/zero > /v/f; while :; do sleep 0.1; done", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }),
      ],
    });
    const pod = await lab.until("p", isOver);
    const message = 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ';
    expect(pod.status).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect((await lab.untilEvent("p", "Evicted")).message).toBe(message);
    expect(terminated(pod)).toMatchObject({ exitCode: 137, reason: "Error" });
  });

  check("99 a pod that leaves too much on disk is evicted", async (lab, { expect }) => {
    const resources = { limits: { "ephemeral-storage": "2Mi" } };
    await lab.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        sh("a", "head -c 3000000 /dev/zero > /v/f; exec sleep 100", {
          ...{ resources, volumeMounts: [{ name: "v", mountPath: "/v" }] },
        }),
      ],
    });
    expect((await lab.until("p", isOver)).status).toMatchObject({
      ...{ phase: "Failed", reason: "Evicted" },
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ",
    });
  });

  check("99 a path in a volume that names an unknown variable is told", async (lab, { expect }) => {
    const volumeMounts = [{ name: "v", mountPath: "/v", subPathExpr: "$(NOPE)" }];
    await lab.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [sh("a", "true", { volumeMounts })],
    });
    const pod = await lab.until("p", waitsFor("CreateContainerConfigError"));
    expect(stateOf(pod).waiting?.message).toBe("missing value for NOPE");
  });

  check(
    "100 the hosts file has the pod's own name, its aliases and its full name",
    async (lab, { expect }) => {
      await lab.pod("p", {
        ...{
          hostname: "me",
          subdomain: "sub",
          hostAliases: [{ ip: "10.9.8.7", hostnames: ["far", "away"] }],
        },
        containers: [sh("a", "cat /etc/hosts; hostname")],
      });
      const { status } = await lab.until("p", isOver);
      const lines = (await lab.log("p")).split("\n");
      if (isolates) {
        expect(lines).toContain(`${status?.podIP}\tme.sub.${lab.namespace}.svc.cluster.local\tme`);
        expect(lines).toContain("10.9.8.7\tfar\taway");
        expect(lines.at(-2)).toBe("me");
      }
    },
  );

  check("101 a readiness probe decides on Ready and on the endpoints", async (lab, { expect }) => {
    await lab.create("services", {
      kind: "Service",
      metadata: { name: "s" },
      spec: { selector: { app: "p" }, ports: [{ port: 80 }] },
    });
    await lab.pod("p", {
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
    const endpoints = async () => (await lab.client.call("GET", lab.at("endpoints", "s"))).text;
    const unready = await lab.until("p", running);
    expect([stateOf(unready).ready, conditionsOf(unready)["Ready"]]).toEqual([
      false,
      "False ContainersNotReady",
    ]);
    const pod = await lab.until("p", ready);
    for (let tries = 0; tries < 30 && !(await endpoints()).includes('"addresses"'); tries += 1)
      await clock.sleep(100);
    expect(await endpoints()).toContain(`"ip":"${pod.status?.podIP}"`);
    await lab.until("p", (seen) => !ready(seen));
    for (let tries = 0; tries < 30 && !(await endpoints()).includes("notReadyAddresses"); tries += 1)
      await clock.sleep(100);
    expect(await endpoints()).toContain("notReadyAddresses");
    expect((await lab.untilEvent("p", "Unhealthy")).message).toMatch(
      /^Readiness probe failed: cat: .*No such file or directory\n?$/,
    );
  });

  check(
    "101 a service leads to its ready pods, by its address, its name and its node port",
    async (lab, { expect }) => {
      const serve =
        "import http.server as h, os\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s): s.send_response(200); s.end_headers(); s.wfile.write(b'hello ')\nh.HTTPServer((os.environ['IP'], 18100), H).serve_forever()";
      const ip = { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
      await lab.pod("server", {
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
        lab.create("services", { kind: "Service", metadata: { name }, spec: { selector, ports, ...spec } });
      await service("front", { type: "NodePort" });
      await service("behind", { clusterIP: "None" });
      const { status } = await lab.until("server", ready);
      const { spec } = (await lab.client.call("GET", lab.at("services", "front"))).body;
      const [port] = JSON.parse(JSON.stringify(spec["ports"]));
      const domain = `${lab.namespace}.svc.cluster.local`;
      const places = [
        `${spec["clusterIP"]}:18101`,
        `${status?.hostIP}:${port.nodePort}`,
        ...(isolates ? ["front:18101", `front.${domain}:18101`, `behind.${domain}:18100`] : []),
      ];
      const ask = `for place in ${places.join(" ")}; do until python3 -c "import urllib.request as u; print(u.urlopen('http://$place', timeout=2).read().decode(), end='')" 2>/dev/null; do sleep 0.2; done; done`;
      await lab.pod("client", { activeDeadlineSeconds: 50, containers: [sh("a", ask)] });
      await lab.until("client", isOver);
      expect(await lab.log("client")).toBe("hello ".repeat(places.length));
    },
  );

  check("101 a liveness probe that fails starts its container again", async (lab, { expect }) => {
    await lab.pod("p", {
      ...{ restartPolicy: "Always" },
      containers: [
        // A first process that handles no signal gets none, where it is the first of its container.
        sh("a", "trap 'exit 9' TERM; while :; do sleep 0.1; done", {
          livenessProbe: { tcpSocket: { port: 9 }, periodSeconds: 1, failureThreshold: 2 },
        }),
      ],
    });
    const pod = await lab.until("p", (seen) => stateOf(seen).restarts === 1);
    expect(stateOf(pod).last).toMatchObject({ terminated: { exitCode: 9, reason: "Error" } });
    expect((await lab.untilEvent("p", "Unhealthy")).message).toBe(
      `Liveness probe failed: dial tcp ${pod.status?.podIP}:9: connect: connection refused`,
    );
    expect((await lab.untilEvent("p", "Killing")).message).toBe(
      "Container a failed liveness probe, will be restarted",
    );
  });

  check("101 a startup probe holds back readiness, by HTTP", async (lab, { expect }) => {
    const server =
      "import http.server as h, os, time\ntime.sleep(2)\nclass H(h.SimpleHTTPRequestHandler):\n def do_GET(s): s.send_response(200 if s.path == '/up' else 503); s.end_headers()\nh.HTTPServer((os.environ['IP'], 18099), H).serve_forever()";
    await lab.pod("p", {
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
    const started = await lab.until("p", (seen) => seen.status?.containerStatuses?.[0]?.started === true);
    expect(stateOf(started).ready).toBe(false);
    const told = async () =>
      (await lab.events("p")).filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
    while ((await told()).every((message) => !message?.startsWith("Readiness"))) await clock.sleep(100);
    const address = `${started.status?.podIP}:18099`;
    expect(await told()).toContain(
      `Startup probe failed: Get "http://${address}/up": dial tcp ${address}: connect: connection refused`,
    );
    expect(await told()).toContain("Readiness probe failed: HTTP probe failed with statuscode: 503");
  });

  check(
    "102 logs are followed to the end, cut, dated, and kept of the run before",
    async (lab, { expect }) => {
      await lab.pod("p", { containers: [sh("a", "echo one; sleep 1; echo two; printf three")] });
      await lab.until("p", (pod) => running(pod) || isOver(pod));
      expect(await lab.log("p", "follow=true")).toBe("one\ntwo\nthree");
      await lab.until("p", isOver);
      expect(await lab.log("p", "tailLines=2")).toBe("two\nthree");
      expect(await lab.log("p", "limitBytes=5")).toBe("one\nt");
      expect(await lab.log("p", "timestamps=true&tailLines=1")).toMatch(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z three$/,
      );
      const later = new Date(clock.now() + 3_600_000).toISOString();
      expect(await lab.log("p", `sinceTime=${later}`)).toBe("");
      const volumeMounts = [{ name: "v", mountPath: "/v" }];
      await lab.pod("again", {
        ...{ restartPolicy: "OnFailure", volumes: [{ name: "v", emptyDir: {} }] },
        containers: [sh("a", "echo run; [ -e /v/f ] && sleep 100; touch /v/f; exit 1", { volumeMounts })],
      });
      await lab.until("again", (pod) => stateOf(pod).restarts === 1);
      expect(await lab.log("again", "previous=true")).toBe("run\n");
    },
  );

  check("102 the last words of a container are its message", async (lab, { expect }) => {
    await lab.pod("file", { containers: [sh("a", "echo bye > /dev/termination-log; exit 1")] });
    await lab.pod("own", {
      containers: [sh("a", "printf own > /tmp/last; exit 0", { terminationMessagePath: "/tmp/last" })],
    });
    const terminationMessagePolicy = "FallbackToLogsOnError";
    await lab.pod("log", {
      containers: [sh("a", "echo one; echo two; exit 1", { terminationMessagePolicy })],
    });
    await lab.pod("long", { containers: [sh("a", "seq 1 200; exit 1", { terminationMessagePolicy })] });
    await lab.pod("fine", { containers: [sh("a", "echo one", { terminationMessagePolicy })] });
    const message = async (name: string) => terminated(await lab.until(name, isOver))?.message;
    if (isolates) {
      expect(await message("file")).toBe("bye\n");
      expect(await message("own")).toBe("own");
    }
    expect(await message("log")).toBe("one\ntwo\n");
    expect((await message("long"))?.split("\n").slice(0, 1)).toEqual(["121"]);
    expect(await message("fine")).toBeUndefined();
  });

  check("103 logs that are not there are refused in the kubelet's words", async (lab, { expect }) => {
    await lab.pod("waits", {
      volumes: [{ name: "v", configMap: { name: "never" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    await lab.pod("two", { containers: [sh("a", "true"), sh("b", "true")] });
    await lab.pod("inits", { initContainers: [sh("i", "sleep 100")], containers: [sh("a", "true")] });
    await lab.until("waits", waitsFor("ContainerCreating"));
    await lab.until("two", isOver);
    await lab.until("inits", (pod) => stateOf(pod, "i").running !== undefined);
    const answer = async (name: string, query = "") => {
      const { status, body } = await lab.client.call("GET", `${lab.at("pods", name)}/log?${query}`);
      return `${status} ${body.message}`;
    };
    expect(await answer("waits")).toBe(
      '400 container "a" in pod "waits" is waiting to start: ContainerCreating',
    );
    expect(await answer("inits", "container=a")).toBe(
      '400 container "a" in pod "inits" is waiting to start: PodInitializing',
    );
    expect(await answer("two")).toBe(
      "400 a container name must be specified for pod two, choose one of: [a b]",
    );
    expect(await answer("two", "container=zz")).toBe("400 container zz is not valid for pod two");
    expect(await answer("two", "container=a&previous=true")).toBe(
      '400 previous terminated container "a" in pod "two" not found',
    );
    expect(await answer("two", "container=a&tailLines=-1")).toMatch(/^422 /);
  });

  check("105 events are found by their pod's uid, and count up", async (lab, { expect }) => {
    await lab.pod("p", {
      volumes: [{ name: "v", configMap: { name: "never" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const { metadata } = await lab.untilEvent("p", "FailedMount");
    const counted = async () => {
      const { count } = await lab.untilEvent("p", "FailedMount");
      return count ?? 0;
    };
    while ((await counted()) < 3) await clock.sleep(200);
    const event = await lab.untilEvent("p", "FailedMount");
    expect(event).toMatchObject({
      ...{ type: "Warning", source: { component: "kubelet" }, reportingComponent: "kubelet" },
      involvedObject: { kind: "Pod", name: "p", namespace: lab.namespace, apiVersion: "v1" },
    });
    expect(event.metadata.name).toBe(metadata.name);
    expect(event.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
  });
});
