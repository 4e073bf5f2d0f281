import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { ApiTarget } from "./api-target.ts";

/** Measurements of a cluster full of pods. */
export interface PodsResult {
  /** Time until all pods were running. */
  readonly seconds: number;
  readonly peakKiB: number;
  /** Memory 5 s after the last pod was running. */
  readonly idleKiB: number;
  /** Number of lines that watchers read. */
  readonly events: number;
  readonly journalBytes: number;
}

/** Creates executor pods as Spark's drivers do, for one application per watcher; each watcher watches its application. */
export async function fillWithPods(
  target: ApiTarget,
  { pid, pods, watchers }: { readonly pid: number; readonly pods: number; readonly watchers: number },
): Promise<PodsResult> {
  await target.open();
  let events = 0;
  const stops: (() => void)[] = [];
  const path = "/api/v1/namespaces/firesteel-bench/pods";
  for (let count = 0; count < watchers; count += 1) {
    const selector = encodeURIComponent(
      `spark-app-selector=spark-${count},spark-role=executor,spark-exec-inactive!=true`,
    );
    const watched = `${path}?watch=true&allowWatchBookmarks=true&labelSelector=${selector}`;
    stops.push(
      await target.watch(watched, () => {
        events += 1;
      }),
    );
  }
  const start = performance.now();
  await target.many(pods, 16, (index) => ({ method: "POST", path, body: executor(index, index % watchers) }));
  while (await hasPending(target, path)) await setTimeout(200);
  const seconds = (performance.now() - start) / 1000;
  await setTimeout(5000);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  for (const stop of stops) stop();
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN);
  return {
    seconds,
    events,
    peakKiB: field("VmHWM"),
    idleKiB: field("VmRSS"),
    journalBytes: writtenBytes(pid),
  };
}

async function hasPending(target: ApiTarget, path: string): Promise<boolean> {
  const list: { items: unknown[] } = JSON.parse(
    await target.fetchText({ method: "GET", path: `${path}?fieldSelector=status.phase%21%3DRunning&limit=1` }),
  );
  return list.items.length > 0;
}

function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? Number.NaN);
}

function executor(index: number, application: number) {
  const id = `spark-${application}`;
  const env = (name: string, value: string) => ({ name, value });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pi-${application}-exec-${index}`,
      labels: {
        "spark-app-selector": id,
        "spark-role": "executor",
        "spark-exec-id": String(index),
        "spark-exec-resourceprofile-id": "0",
        "spark-app-name": "pi",
        "spark-version": "4.3.0",
      },
    },
    spec: {
      restartPolicy: "Never",
      hostname: `pi-${index}-exec`,
      containers: [
        {
          name: "spark-kubernetes-executor",
          image: "busybox",
          imagePullPolicy: "IfNotPresent",
          args: ["executor"],
          env: [
            env("SPARK_USER", "spark"),
            env("SPARK_DRIVER_URL", `spark://CoarseGrainedScheduler@pi-${application}-driver-svc.default.svc:7078`),
            env("SPARK_EXECUTOR_CORES", "1"),
            env("SPARK_EXECUTOR_MEMORY", "1024m"),
            env("SPARK_APPLICATION_ID", id),
            env("SPARK_CONF_DIR", "/opt/spark/conf"),
            env("SPARK_EXECUTOR_ID", String(index)),
            env("SPARK_RESOURCE_PROFILE_ID", "0"),
            {
              name: "SPARK_EXECUTOR_POD_IP",
              valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } },
            },
            {
              name: "SPARK_EXECUTOR_POD_NAME",
              valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } },
            },
            env("SPARK_LOCAL_DIRS", "/var/data/spark-1"),
          ],
          ports: [{ name: "blockmanager", containerPort: 7079, protocol: "TCP" }],
          resources: { requests: { cpu: "0", memory: "0" } },
          volumeMounts: [{ name: "spark-local-dir-1", mountPath: "/var/data/spark-1" }],
        },
      ],
      volumes: [{ name: "spark-local-dir-1", emptyDir: {} }],
    },
  };
}
