import { expect, test } from "vitest";
import { driversIn, endedStatus, eventually, setStatus, withCluster } from "./gateway-cluster.ts";
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
