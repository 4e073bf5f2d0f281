import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { type ApiDoor, type Fate, openDoor, type Visit } from "./api-door.ts";
import { call, createNamespace, objectsIn, podsWithout, startApi, unowned } from "./embedded-api.ts";
import { run, start } from "./programs.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await startApi(directory);
});

afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Three applies, the pod, three applies: Service, NetworkPolicy, ConfigMap, each without and with its owner. */
const changingCalls = 7;

function words(door: ApiDoor, namespace: string, waits: boolean): readonly string[] {
  return [
    ...["--master", `k8s://${door.url}`, "--deploy-mode", "cluster", "--name", "killed"],
    ...["--conf", `spark.kubernetes.namespace=${namespace}`],
    ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
    ...["--conf", `spark.kubernetes.submission.waitAppCompletion=${waits}`],
    ...["--class", "org.example.Main", "local:///opt/app/app.jar"],
  ];
}

/** Looks at each moment whether a pod lacks what it mounts. */
function watchfulDoor(namespace: string, faults: string[], decide: (visit: Visit) => Fate): Promise<ApiDoor> {
  return openDoor(async (request) => {
    const answer = await cluster.transport(request);
    faults.push(...(await podsWithout(cluster, namespace)));
    return answer;
  }, decide);
}

async function sweep(door: ApiDoor, namespace: string) {
  return run("firesteel", [
    "sweep",
    "--master",
    `k8s://${door.url}`,
    "--namespace",
    namespace,
    "--older-than",
    "0s",
  ]);
}

/** What a cluster does when a driver is gone. */
async function deletePods(namespace: string): Promise<void> {
  const type = resourceTypes.pod;
  for (const { kind, metadata } of await objectsIn(cluster, namespace)) {
    const path = `${resourcePath(type, namespace, metadata.name)}?gracePeriodSeconds=0`;
    if (kind === "Pod") await call(cluster, "DELETE", path);
  }
}

describe("a submission that nobody disturbs", () => {
  test("makes so many changing calls, and leaves nothing without an owner", async () => {
    await createNamespace(cluster, "undisturbed");
    const faults: string[] = [];
    const door = await watchfulDoor("undisturbed", faults, () => "pass");
    expect(await run("spark-submit", words(door, "undisturbed", false))).toMatchObject({ exit: 0 });
    await door.close();
    expect(door.visits.filter(({ method }) => method !== "GET")).toHaveLength(changingCalls);
    expect(unowned(await objectsIn(cluster, "undisturbed"))).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe("a client that is killed", () => {
  const moments = Array.from({ length: changingCalls }, (_, index) => index + 1).flatMap((number) =>
    (["hold-before", "hold-after"] as const).map((moment) => ({ number, moment })),
  );

  test.each(moments)(
    "at call $number, $moment it is carried out, leaves nothing half made",
    async ({ number, moment }) => {
      const namespace = `killed-${number}-${moment}`;
      await createNamespace(cluster, namespace);
      const faults: string[] = [];
      let changes = 0;
      const door = await watchfulDoor(namespace, faults, ({ method }) => {
        if (method !== "GET") changes += 1;
        return method !== "GET" && changes === number ? moment : "pass";
      });
      const submission = start("spark-submit", words(door, namespace, false));
      await door.held;
      submission.child.kill("SIGKILL");
      expect((await submission.ended).exit).toBe("SIGKILL");
      expect(await podsWithout(cluster, namespace)).toEqual([]);

      expect(await sweep(door, namespace)).toMatchObject({ exit: 0 });
      const left = await objectsIn(cluster, namespace);
      const hasDriver = left.some(({ kind }) => kind === "Pod");
      expect(unowned(left)).toEqual([]);
      expect(hasDriver || left.length === 0).toBe(true);
      await deletePods(namespace);
      await expect.poll(() => objectsIn(cluster, namespace)).toEqual([]);
      await door.close();
      expect(faults).toEqual([]);
    },
  );

  test("while it waits for the driver, leaves the driver and all that is its own", async () => {
    const namespace = "killed-waiting";
    await createNamespace(cluster, namespace);
    const door = await openDoor(cluster.transport, ({ method }) =>
      method === "WATCH" ? "hold-before" : "pass",
    );
    const submission = start("spark-submit", words(door, namespace, true));
    await door.held;
    submission.child.kill("SIGKILL");
    await submission.ended;
    expect(await podsWithout(cluster, namespace)).toEqual([]);
    expect(unowned(await objectsIn(cluster, namespace))).toEqual([]);
    expect((await sweep(door, namespace)).stdout).toBe(`Nothing to sweep in namespace ${namespace}.\n`);
    await door.close();
  });
});
