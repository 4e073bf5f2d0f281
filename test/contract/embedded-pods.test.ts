import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import type { Pod } from "../../src/kube/types.ts";
import { type EmbeddedCluster, startCluster } from "../../src/local-cluster/index.ts";
import { missingOf, sandboxRequirements } from "../requirements.ts";
import { requires } from "../test-with.ts";
import { call, createObject } from "./cluster-client.ts";

const host = nodeHost();

function parsePod(text: string): Pod {
  return JSON.parse(text);
}

describe.each(["bwrap", "unshare", "process"] as const)("pods by the %s sandbox", (sandbox) => {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-pods-"));
  let cluster: EmbeddedCluster | undefined;
  beforeAll(async () => {
    const options = { directory, sandbox, apiOnly: false, sparkHomes: [], javaHome: undefined };
    if (missingOf(sandboxRequirements[sandbox]) === undefined) cluster = await startCluster(host, options);
  });
  afterAll(async () => {
    await cluster?.stop();
    expect(readdirSync(directory)).not.toContain("pods");
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(requires(sandboxRequirements[sandbox]));

  const transport: EmbeddedCluster["transport"] = (request) => {
    if (cluster === undefined) throw new Error("the cluster has not started");
    return cluster.transport(request);
  };
  const pods = "/api/v1/namespaces/default/pods";
  const get = async (name: string) => parsePod(await call(transport, { method: "GET", path: `${pods}/${name}` }));
  const log = (name: string, query: string) => call(transport, { method: "GET", path: `${pods}/${name}/log?${query}` });
  async function until(name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
    for (let tries = 0; tries < 400; tries += 1) {
      const pod = await get(name);
      if (holds(pod)) return pod;
      await host.clock.sleep(25);
    }
    throw new Error(JSON.stringify((await get(name)).status));
  }
  const isTerminated = ({ status }: Pod) => status?.phase === "Succeeded" || status?.phase === "Failed";
  function create(name: string, spec: object) {
    const metadata = { name, labels: { app: name } };
    return createObject(transport, "pods", { apiVersion: "v1", kind: "Pod", metadata, spec });
  }
  const container = (name: string, script: string, more: object = {}) => ({
    ...{ name, image: "busybox:1", imagePullPolicy: "IfNotPresent", command: ["sh", "-c", script] },
    ...more,
  });

  test("share volumes between containers, wait for a config map, and end with their exit codes", async () => {
    const shared = [{ name: "shared", mountPath: "/shared" }];
    await create("sequence", {
      restartPolicy: "Never",
      volumes: [
        { name: "shared", emptyDir: {} },
        { name: "conf", configMap: { name: "sequence", items: [{ key: "text", path: "deep/text" }] } },
      ],
      initContainers: [container("first", "echo from init > /shared/file", { volumeMounts: shared })],
      containers: [
        container("main", "cat /shared/file /conf/deep/text; echo $GREETING $ADDRESS; exit 3", {
          volumeMounts: [...shared, { name: "conf", mountPath: "/conf" }],
          env: [
            { name: "GREETING", valueFrom: { configMapKeyRef: { name: "sequence", key: "text" } } },
            { name: "ADDRESS", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
          ],
        }),
      ],
    });
    await until("sequence", ({ status }) => status?.startTime !== undefined);
    const metadata = { name: "sequence" };
    await createObject(transport, "configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { text: "hello" },
    });
    const { status } = await until("sequence", isTerminated);
    expect(status).toMatchObject({
      phase: "Failed",
      initContainerStatuses: [{ state: { terminated: { reason: "Completed" } } }],
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: "Error" } } }],
    });
    expect(await log("sequence", "container=main")).toBe(`from init\nhellohello ${status?.podIP}\n`);
  });

  test("resolve a headless service and each other when their addresses change", async () => {
    await create("server", { restartPolicy: "Never", containers: [container("main", "sleep 60")] });
    await create("client", {
      restartPolicy: "Never",
      containers: [container("main", "while ! grep svc.default.svc /etc/hosts; do sleep 0.05; done")],
    });
    const { status } = await until("server", (pod) => pod.status?.phase === "Running");
    await createObject(transport, "services", {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "svc" } },
      spec: { clusterIP: "None", selector: { app: "server" }, ports: [{ port: 80 }] },
    });
    await until("client", isTerminated);
    expect(await log("client", "")).toBe(
      `${status?.podIP}\tsvc\tsvc.default\tsvc.default.svc\tsvc.default.svc.cluster.local\n`,
    );
  });

  test("leave no files, whatever the modes of their directories", async () => {
    await create("messy", {
      ...{ restartPolicy: "Never", volumes: [{ name: "v", emptyDir: {} }] },
      containers: [
        container("main", "mkdir -p /v/a/b && touch /v/a/b/c && chmod 0 /v/a/b && chmod 0 /v/a", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }),
      ],
    });
    const { metadata, status } = await until("messy", isTerminated);
    expect(status?.phase).toBe("Succeeded");
    const left = readdirSync(join(directory, "pods", metadata?.uid ?? ""), { recursive: true });
    expect(left.filter((name) => !String(name).startsWith("logs"))).toEqual(["hosts"]);
  });

  test("cannot mount the cluster's directory, and do not see it in a directory that contains it", async () => {
    const parent = join(directory, "..");
    const bound = [{ name: "v", mountPath: "/v" }];
    symlinkSync(directory, join(directory, "link"));
    for (const [name, path] of [
      ["direct", directory],
      ["below", join(directory, "pods")],
      ["linked", join(directory, "link")],
    ])
      await create(name ?? "", {
        ...{ restartPolicy: "Never", volumes: [{ name: "v", hostPath: { path } }] },
        containers: [container("main", "true", { volumeMounts: bound })],
      });
    const seen = `/v/${basename(directory)}`;
    const script = `cat ${seen}/kubeconfig ${seen}/identity.json; ls -A ${seen}; mv ${seen} /v/moved; echo end`;
    // Plain processes see all files of this machine.
    for (const readOnly of sandbox === "process" ? [] : [true, false]) {
      const name = `parent-${readOnly}`;
      await create(name, {
        ...{ restartPolicy: "Never", volumes: [{ name: "v", hostPath: { path: parent } }] },
        containers: [container("main", `{ ${script}; } 2>/dev/null`, { volumeMounts: [{ ...bound[0], readOnly }] })],
      });
      await until(name, isTerminated);
      expect(await log(name, "")).toBe("end\n");
    }
    const reason = "is in a directory with the keys and tokens of clusters, which pods cannot mount";
    for (const name of ["direct", "below", "linked"]) {
      const query = `fieldSelector=involvedObject.name%3D${name},reason%3DFailedMount`;
      const readEvents = () => call(transport, { method: "GET", path: `/api/v1/namespaces/default/events?${query}` });
      let events = await readEvents();
      for (let tries = 0; tries < 400 && !events.includes("FailedMount"); tries += 1) {
        await host.clock.sleep(25);
        events = await readEvents();
      }
      expect(events).toContain(reason);
      const waiting = { reason: "ContainerCreating" };
      expect((await get(name)).status?.containerStatuses).toMatchObject([{ state: { waiting } }]);
    }
  });
});
