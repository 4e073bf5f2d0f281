import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planDriver } from "../plan/driver-conf.ts";
import { sparkBehaviors, type TestSubmission, testDriver, testFacts, testRequest } from "../plan/test-driver.ts";
import { isFields } from "../values/fields.ts";
import { buildDriverManifests, driverChecks } from "./driver-spec.ts";
import type { UserStep } from "./user-steps/user-step.ts";

function build(submission: TestSubmission = {}) {
  const result = buildDriverManifests(testDriver(submission));
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return result.value;
}

const name = "golden-aaaaaa1";
const features = "org.apache.spark.deploy.k8s.features";

describe("a plain submission of Spark 4.3", () => {
  const { manifests, log } = build({ appArgs: ["a1", "a2"], facts: { env: { SPARK_USER: "golden" } } });
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
    const map = JSON.stringify(build({ settings }).manifests.resources.at(-1));
    expect(map).not.toContain("firesteel");
    expect(map).not.toContain("secret");
  });
});

describe("files of the configuration directory", () => {
  test("are in the ConfigMap and in the pod's volume, and are logged", () => {
    const files = [{ name: "log4j2.properties", sizeBytes: 4, text: "a=b\n" }];
    const { manifests, log } = build({ facts: { confDirectory: { path: "/conf", files } } });
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

describe("excluded steps", () => {
  const settings = {
    "spark.kubernetes.driver.pod.excludedFeatureSteps": `${features}.NetworkPolicyFeatureStep, ${features}.DriverServiceFeatureStep`,
  };

  test("add nothing", () => {
    const { resources } = build({ settings }).manifests;
    expect(resources.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
    expect(JSON.stringify(resources)).not.toContain("spark.driver.host");
  });

  test("contribute in Spark versions that cannot exclude them", () => {
    const { resources } = build({ settings, line: "4.0" }).manifests;
    expect(resources.map(({ kind }) => kind)).toEqual(["Service", "ConfigMap"]);
  });

  test("do not report problems of their contribution", () => {
    const [excluded = ""] = Object.keys(settings);
    const broken = {
      "spark.kubernetes.driver.secretKeyRef.A": "b",
      "spark.kubernetes.driver.volumes.hostPath.h.mount.path": "/h",
    };
    const steps = `${features}.EnvSecretsFeatureStep,${features}.MountVolumesFeatureStep`;
    expect(buildDriverManifests(testDriver({ settings: { ...broken, [excluded]: steps } })).ok).toBe(true);
    expect(buildDriverManifests(testDriver({ settings: broken })).ok).toBe(false);
  });

  test("report problems of their creation", () => {
    const driver = testDriver({ settings: { ...settings, "spark.driver.bindAddress": "0.0.0.0" } });
    expect(buildDriverManifests(driver).ok).toBe(false);
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
  expect(build({ settings }).log.map(({ level, logger }) => [level, logger])).toEqual([
    ["WARN", "DriverKubernetesCredentialsFeatureStep"],
  ]);
});

describe("user steps", () => {
  const adding = (labels: Readonly<Record<string, string>>) => ({ contribute: () => ({ labels }) });

  function buildWith(...steps: readonly UserStep[]) {
    return buildDriverManifests(
      testDriver(),
      steps.map((step, index) => ({ name: `step ${index}`, step })),
    );
  }

  test("contribute like Spark's own, and their settings reach the driver", () => {
    const step = {
      contribute: () => ({ env: [{ name: "TEAM", value: "a" }], properties: { "spark.team": "a" } }),
    };
    const built = buildWith(step, adding({ team: "a" }));
    if (!built.ok) throw new Error("not built");
    const { pod, resources } = built.value.manifests;
    expect(pod.metadata?.labels).toMatchObject({ team: "a", "spark-role": "driver" });
    expect(pod.spec?.containers[0]?.env).toContainEqual({ name: "TEAM", value: "a" });
    expect(JSON.stringify(resources.at(-1))).toContain("spark.team=a");
  });

  test("transform the finished pod, each the result of the previous step", () => {
    const append = (name: string): UserStep => ({
      transform: (pod) => ({
        ...pod,
        spec: { ...pod.spec, containers: [...(pod.spec?.containers ?? []), { name }] },
      }),
    });
    const built = buildWith(append("first"), append("second"));
    expect(built.ok && built.value.manifests.pod.spec?.containers.map(({ name }) => name)).toEqual([
      "spark-kubernetes-driver",
      "first",
      "second",
    ]);
  });

  test("can change fields that are already set only by transforming the pod", () => {
    expect(buildWith(adding({ "spark-role": "mine" }))).toMatchObject({
      issues: [
        {
          code: "SUBMIT_ERR_STEP_CONFLICT",
          message: "The steps BasicDriverFeatureStep and step 0 both set labels.spark-role.",
        },
      ],
    });
  });

  test("report all failures together", () => {
    const failing: UserStep = {
      contribute: () => {
        throw new Error("no");
      },
    };
    const built = buildWith(failing, failing);
    expect(!built.ok && built.issues.map(({ code }) => code)).toEqual([
      "SUBMIT_ERR_FEATURE_STEP_THROWN",
      "SUBMIT_ERR_FEATURE_STEP_THROWN",
    ]);
  });
});

describe("any pod template", () => {
  const fields = [
    ...["spec", "metadata", "kind", "containers", "initContainers", "volumes", "env", "ports", "name", "labels"],
    ...["resources", "limits", "requests", "securityContext", "nodeSelector", "args", "value", "defaultMode"],
    ...["imagePullSecrets", "volumeMounts", "namespace", "ownField", "__proto__", "constructor"],
  ];
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, depthSize: "medium" },
      fc.constantFrom(null, true, 0, 7, -1.5, "", "x", "0644"),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...fields), tie("node"), { maxKeys: 5 }),
    ),
  }));
  const plan = (driverTemplate: unknown, asSpark: boolean) => {
    const settings = { "spark.kubernetes.driver.podTemplateFile": "t.yml" };
    const request = testRequest({
      settings,
      behaviors: asSpark ? sparkBehaviors : {},
    });
    const planned = planDriver(request, { ...testFacts, driverTemplate }, driverChecks);
    return planned.ok ? buildDriverManifests(planned.value) : planned;
  };

  test("is the base of the pod, or is rejected with reasons", () => {
    const template = fc.oneof(node, fc.record({ spec: fc.oneof(node, fc.record({ containers: node })) }));
    fc.assert(
      fc.property(template, fc.boolean(), (value, asSpark) => {
        const built = plan(value, asSpark);
        if (!built.ok) expect(built.issues).not.toEqual([]);
        else {
          const containers: readonly unknown[] = built.value.manifests.pod.spec?.containers ?? [];
          expect(containers).not.toEqual([]);
          expect(containers.filter((container) => !isFields(container))).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("keeps fields that neither Spark nor Firesteel knows", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (inSpec, inContainer) => {
        const template = {
          spec: { ownField: inSpec, containers: [{ name: "c", ownField: inContainer }] },
        };
        const built = plan(template, false);
        const spec: unknown = built.ok ? built.value.manifests.pod.spec : undefined;
        expect(spec).toMatchObject({ ownField: inSpec, containers: [{ name: "c", ownField: inContainer }] });
      }),
    );
  });
});
