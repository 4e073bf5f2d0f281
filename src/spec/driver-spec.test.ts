import { describe, expect, test } from "vitest";
import { planDriver } from "../plan/driver-conf.ts";
import { testFacts, testRequest } from "../plan/test-driver.ts";
import { driverChecks } from "./driver-spec.ts";
import { buildDriver } from "./test-driver-spec.ts";

const name = "golden-aaaaaa1";

describe("a plain submission of Spark 4.3", () => {
  const { manifests, log } = buildDriver({ appArgs: ["a1", "a2"], facts: { env: { SPARK_USER: "golden" } } });
  const [service, policy, map] = manifests.resources;

  test("creates a service, a network policy and the ConfigMap besides the pod", () => {
    expect(manifests.resources.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ["Service", `${name}-driver-svc`],
      ["NetworkPolicy", `${name}-policy`],
      ["ConfigMap", "spark-drv-cccccc1-conf-map"],
    ]);
    expect(manifests.preResources).toEqual([]);
    expect(service?.["spec"]).toMatchObject({ selector: manifests.pod.metadata?.labels });
    expect(policy?.metadata.labels).toEqual({ "spark-app-selector": testFacts.appId });
    expect(log).toEqual([]);
  });

  test("creates the same pod as Apache's client", () => {
    expect(manifests.pod).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        labels: {
          "spark-app-name": "golden",
          "spark-app-selector": testFacts.appId,
          "spark-role": "driver",
          "spark-version": "4.3.0",
        },
        name: `${name}-driver`,
      },
      spec: {
        containers: [
          {
            args: [
              "driver",
              "--properties-file",
              "/opt/spark/conf/spark.properties",
              "--class",
              "org.example.Main",
              "local:///opt/app/app.jar",
              "a1",
              "a2",
            ],
            env: [
              { name: "SPARK_USER", value: "golden" },
              { name: "SPARK_APPLICATION_ID", value: testFacts.appId },
              {
                name: "SPARK_DRIVER_BIND_ADDRESS",
                valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } },
              },
              { name: "SPARK_LOCAL_DIRS", value: `/var/data/spark-${testFacts.localDirUuid}` },
              { name: "SPARK_CONF_DIR", value: "/opt/spark/conf" },
            ],
            image: "img:1",
            imagePullPolicy: "IfNotPresent",
            name: "spark-kubernetes-driver",
            ports: [
              { containerPort: 7078, name: "driver-rpc-port", protocol: "TCP" },
              { containerPort: 7079, name: "blockmanager", protocol: "TCP" },
              { containerPort: 4040, name: "spark-ui", protocol: "TCP" },
              { containerPort: 15002, name: "spark-connect", protocol: "TCP" },
            ],
            resources: { limits: { memory: "1408Mi" }, requests: { cpu: "1", memory: "1408Mi" } },
            securityContext: { allowPrivilegeEscalation: false },
            volumeMounts: [
              { mountPath: `/var/data/spark-${testFacts.localDirUuid}`, name: "spark-local-dir-1" },
              { mountPath: "/opt/spark/conf", name: "spark-conf-volume-driver" },
            ],
          },
        ],
        restartPolicy: "Never",
        volumes: [
          { emptyDir: {}, name: "spark-local-dir-1" },
          {
            configMap: {
              items: [{ key: "spark.properties", mode: 420, path: "spark.properties" }],
              name: "spark-drv-cccccc1-conf-map",
            },
            name: "spark-conf-volume-driver",
          },
        ],
      },
    });
  });

  test("passes the settings to the driver", () => {
    expect(map).toEqual({
      apiVersion: "v1",
      data: {
        "spark.kubernetes.namespace": "default",
        "spark.properties": [
          "#Java properties built from Kubernetes config map with name: spark-drv-cccccc1-conf-map",
          "#Fri Jan 02 03:04:05 UTC 2026",
          `spark.app.id=${testFacts.appId}`,
          "spark.app.name=golden",
          "spark.driver.blockManager.port=7079",
          `spark.driver.host=${name}-driver-svc.default.svc`,
          "spark.driver.port=7078",
          "spark.kubernetes.container.image=img\\:1",
          `spark.kubernetes.driver.pod.name=${name}-driver`,
          "spark.kubernetes.memoryOverheadFactor=0.1",
          "spark.kubernetes.resource.type=java",
          "spark.kubernetes.submitInDriver=true",
          "spark.master=k8s\\://https\\://api\\:6443",
          "",
        ].join("\n"),
      },
      immutable: true,
      kind: "ConfigMap",
      metadata: { name: "spark-drv-cccccc1-conf-map", namespace: "default" },
    });
  });

  test("sorts the keys of all objects", () => {
    const keys = Object.keys(manifests.pod.spec?.containers[0] ?? {});
    expect(keys).toEqual([...keys].sort());
  });
});

describe("the driver's settings", () => {
  test("exclude Firesteel's settings and all tokens", () => {
    const settings = { "spark.firesteel.sparkVersion": "4.3", "spark.my.oauthToken": "secret" };
    const map = JSON.stringify(buildDriver({ settings }).manifests.resources.at(-1));
    expect(map).not.toContain("firesteel");
    expect(map).not.toContain("secret");
  });
});

describe("files of the configuration directory", () => {
  test("are in the ConfigMap and in the pod's volume, and are logged", () => {
    const files = [{ name: "log4j2.properties", sizeBytes: 4, text: "a=b\n" }];
    const { manifests, log } = buildDriver({ facts: { confDirectory: { path: "/conf", files } } });
    expect(manifests.resources.at(-1)?.["data"]).toMatchObject({ "log4j2.properties": "a=b\n" });
    const volume = manifests.pod.spec?.volumes?.at(-1);
    expect(volume?.configMap?.items?.map(({ key }) => key)).toEqual(["log4j2.properties", "spark.properties"]);
    expect(log).toEqual([
      {
        level: "INFO",
        logger: "KubernetesClientUtils",
        text: "Spark configuration files loaded from Some(/conf) : log4j2.properties",
      },
    ]);
  });
});

test("reports the problems of the plan and of all steps together", () => {
  const settings = {
    "spark.kubernetes.driver.label.spark-role": "x",
    "spark.driver.port": "x",
    "spark.kubernetes.driver.secretKeyRef.A": "b",
    "spark.kubernetes.local.dirs.tmpfs": "maybe",
  };
  const plan = planDriver(testRequest({ settings }), testFacts, driverChecks);
  expect(!plan.ok && plan.issues.map(({ code }) => code)).toEqual([
    "SUBMIT_ERR_SETTING_RAW_INTEGER",
    "SUBMIT_ERR_SECRET_KEY_REF",
    "SUBMIT_ERR_SETTING_TYPE",
    "SUBMIT_ERR_LABEL_RESERVED",
  ]);
});

test("logs warnings with the name of their step", () => {
  const settings = {
    "spark.kubernetes.authenticate.driver.oauthToken": "t",
    "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
  };
  expect(buildDriver({ settings }).log.map(({ level, logger }) => [level, logger])).toEqual([
    ["WARN", "DriverKubernetesCredentialsFeatureStep"],
  ]);
});
