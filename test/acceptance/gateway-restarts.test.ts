import { expect, test } from "vitest";
import {
  driversIn,
  endedStatus,
  eventually,
  killedAfter,
  openGatewayApplications,
  setStatus,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";
import { startGatewayOn } from "./gateway-process.ts";

const yaml = `
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: nightly}
spec:
  type: Python
  sparkVersion: 4.0.1
  image: spark:4.0.1
  mainApplicationFile: local:///nightly.py
  driver: {memory: 512m, labels: {team: data}, serviceAccount: spark}
  executor: {instances: 1, tolerations: [{key: spark, operator: Exists}]}
  restartPolicy: {type: OnFailure, onFailureRetries: 1, onFailureRetryInterval: 1}
  timeToLiveSeconds: 1
`;

test("a SparkApplication is submitted, restarted as its policy says, and removed after its time to live", async () => {
  await withCluster(async (cluster) => {
    const gateway = await startGatewayOn(cluster, {});
    const headers = { "content-type": "application/yaml" };
    const { status, json } = await gateway.send("POST", "/api/v1/applications", { body: yaml, headers });
    expect(status).toBe(201);
    const path = `/api/v1/applications/${json["key"]}`;
    const driverOf = (attempt: number) =>
      eventually(async () => {
        const { json: application } = await gateway.send("GET", path);
        const drivers = await driversIn(cluster);
        const driver = drivers.find(({ metadata }) => metadata?.name === application["podName"]);
        return application["attempt"] === attempt ? driver : undefined;
      });
    const first = await driverOf(1);
    expect(first).toMatchObject({ metadata: { labels: { team: "data" } }, spec: { serviceAccountName: "spark" } });
    await setStatus(cluster, String(first.metadata?.name), endedStatus(1));
    const second = await driverOf(2);
    await eventually(async () => ((await driversIn(cluster)).length === 1 ? true : undefined));
    await setStatus(cluster, String(second.metadata?.name), endedStatus(1));
    await eventually(async () => ((await gateway.send("GET", path)).json["state"] === "failed" ? true : undefined));
    await eventually(async () => ((await gateway.send("GET", path)).status === 404 ? true : undefined));
    await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
    await gateway.stop();
  });
});

test("a gateway that is killed after any request while it restarts an application neither loses it nor runs it twice", async () => {
  await withCluster(async (cluster) => {
    for (let requests = 0; requests < 12; requests += 1) {
      const setUp = await openGatewayApplications(cluster);
      const lifetime = { restartPolicy: { type: "OnFailure", onFailureRetries: 1 } } as const;
      const result = await setUp.submit(testApplication({ lifetime }));
      if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
      const { key, podName } = result.application.record;
      await eventually(() => (setUp.get(key)?.record.appId === undefined ? undefined : true));
      await setUp.close();
      await setStatus(cluster, podName, endedStatus(1));
      const { transport, isDead } = killedAfter(cluster.transport, requests);
      const first = openGatewayApplications(cluster, transport).then((applications) =>
        eventually(() => (applications.get(key)?.driver === undefined ? undefined : true)),
      );
      await Promise.race([first, eventually(() => (isDead() ? true : undefined))]);
      const again = await openGatewayApplications(cluster);
      const names = await eventually(async () => {
        if (again.get(key)?.record.attempt !== 2 || again.get(key)?.state !== "pending") return undefined;
        return (await driversIn(cluster)).flatMap(({ metadata }) => metadata?.name ?? []);
      });
      expect(names.filter((name) => name.startsWith(`${podName}-`))).toEqual([`${podName}-2`]);
      await again.remove(key, undefined);
      await again.close();
    }
  });
});
