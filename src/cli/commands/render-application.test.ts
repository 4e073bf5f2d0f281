import { describe, expect, test } from "vitest";
import { applicationText, renderApplication, runWithFiles } from "./test-application.ts";

const render = (spec = "", options: readonly string[] = []) => renderApplication(applicationText(spec), options);

describe("firesteel render --spark-application", () => {
  test("prints the pods of driver and executor with the operator's defaults", async () => {
    const { exit, driver, executor, items } = await render();
    expect(exit).toBe(0);
    expect(driver.metadata).toMatchObject({ name: "pi-driver", namespace: "jobs" });
    expect(driver.metadata?.labels).toMatchObject({ "sparkoperator.k8s.io/app-name": "pi" });
    expect(driver.container?.resources).toMatchObject({ requests: { cpu: "1", memory: "1408Mi" } });
    expect(executor.env["SPARK_EXECUTOR_MEMORY"]).toBe("1024m");
    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toContain("Service pi-ui-svc");
  });

  test("gives fields of roles precedence over sparkConf, and sparkConf over fields of the application", async () => {
    const { driver } = await render(
      '  imagePullPolicy: Always\n  sparkConf: {spark.kubernetes.container.image.pullPolicy: Never, spark.driver.cores: "7"}\n  driver: {cores: 2}',
    );
    expect(driver.container).toMatchObject({ imagePullPolicy: "Never", resources: { requests: { cpu: "2" } } });
  });

  test("adds no default for a value in sparkConf", async () => {
    const { executor, items } = await render(
      '  sparkConf: {spark.executor.memory: 2g, spark.dynamicAllocation.enabled: "true"}',
    );
    expect(executor.env["SPARK_EXECUTOR_MEMORY"]).toBe("2048m");
    const properties = items.find(({ data }) => data?.["spark.properties"])?.data?.["spark.properties"] ?? "";
    expect(properties).not.toContain("spark.executor.instances");
  });

  test("gives variables of env precedence over envVars and over Spark's own, for both roles", async () => {
    const role =
      "{envVars: {A: old, B: old}, env: [{name: A, value: new}, {name: SPARK_USER, value: me}, {name: B, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]}";
    const { driver, executor } = await render(
      `  sparkConfigMap: conf\n  hadoopConfigMap: hadoop\n  driver: ${role}\n  executor: ${role}`,
    );
    for (const { env } of [driver, executor]) {
      expect(env).toMatchObject({ A: "new", SPARK_USER: "me", B: { fieldRef: { fieldPath: "spec.nodeName" } } });
      expect(env).toMatchObject({ SPARK_CONF_DIR: "/etc/spark/conf", HADOOP_CONF_DIR: "/etc/hadoop/conf" });
    }
  });

  test("warns of a variable that Spark sets itself for executors", async () => {
    const { error } = await render(
      "  executor: {env: [{name: SPARK_EXECUTOR_ID, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}",
    );
    expect(error).toContain("spec.executor.env: Spark sets SPARK_EXECUTOR_ID itself");
  });

  test("appends lists to those of a template, and replaces other fields", async () => {
    const role = (name: string) => `{
      tolerations: [{key: field}], affinity: {podAffinity: {}}, priorityClassName: field, nodeSelector: {pool: field},
      securityContext: {runAsUser: 1}, gpu: {name: example.com/gpu, quantity: 2}, hostNetwork: true,
      sidecars: [{name: side, image: i}], initContainers: [{name: first, image: i}],
      template: {spec: {priority: 5, priorityClassName: template, tolerations: [{key: template}], nodeSelector: {disk: fast},
        containers: [{name: ${name}, securityContext: {runAsGroup: 2}}]}}}`;
    const { exit, error, driver, executor } = await render(
      `  driver: ${role("spark-kubernetes-driver")}\n  executor: ${role("spark-kubernetes-executor")}`,
    );
    expect([exit, error]).toEqual([0, ""]);
    for (const { spec, container, containers } of [driver, executor]) {
      expect(spec).toMatchObject({
        tolerations: [{ key: "template" }, { key: "field" }],
        affinity: { podAffinity: {} },
        priorityClassName: "field",
        nodeSelector: { pool: "field", disk: "fast" },
        hostNetwork: true,
        dnsPolicy: "ClusterFirstWithHostNet",
        initContainers: [{ name: "first", image: "i" }],
      });
      expect(spec).not.toHaveProperty("priority");
      expect(container?.securityContext).toEqual({ runAsUser: 1 });
      expect(container?.resources?.limits).toMatchObject({ "example.com/gpu": "2" });
      expect(containers.map(({ name }) => name)).toContain("side");
    }
  });

  test("mounts declared volumes that are used, and warns of others", async () => {
    const { driver, error } = await render(
      `  volumes: [{name: a, emptyDir: {}}, {name: unused, emptyDir: {}}, {name: spark-local-dir-1, hostPath: {path: /d}}]
  driver: {configMaps: [{name: c, path: /c}], volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}, {name: spark-local-dir-1, mountPath: /l}]}`,
    );
    const names = driver.container?.volumeMounts?.map(({ name, mountPath }) => `${name}:${mountPath}`);
    expect(names).toEqual(expect.arrayContaining(["a:/a", "c-vol:/c", "spark-local-dir-1:/l"]));
    expect(names).not.toContain("b:/b");
    expect(JSON.stringify(driver.spec)).not.toContain("unused");
    expect(error).toContain("spec.driver.volumeMounts: b is not in spec.volumes");
  });

  test("adds annotations, agent, port and ConfigMap of Prometheus, and keeps Java options of sparkConf", async () => {
    const { driver, executor, items } = await render(
      `  sparkConf: {spark.executor.extraJavaOptions: -Da=b}
  monitoring: {exposeDriverMetrics: false, exposeExecutorMetrics: true, prometheus: {jmxExporterJar: /j.jar, port: 9100}}`,
    );
    expect(driver.container?.ports?.map(({ containerPort }) => containerPort)).not.toContain(9100);
    expect(executor.container?.ports).toContainEqual({ name: "jmx-exporter", containerPort: 9100, protocol: "TCP" });
    expect(executor.metadata?.annotations).toMatchObject({ "prometheus.io/port": "9100" });
    const agent = "-javaagent:/j.jar=9100:/etc/metrics/conf/prometheus.yaml";
    expect(Object.values(executor.env)).toEqual(expect.arrayContaining(["-Da=b", agent]));
    const conf = items.find(({ metadata }) => metadata.name === "pi-prom-conf");
    expect(Object.keys(conf?.data ?? {})).toEqual(["metrics.properties", "prometheus.yaml"]);
  });

  test("warns of a memory limit of executors, and sets that of the driver", async () => {
    const { driver, error } = await render("  driver: {memoryLimit: 5G}\n  executor: {memoryLimit: 5g}");
    expect(driver.container?.resources?.limits).toMatchObject({ memory: "5Gi" });
    expect(error).toContain("spec.executor.memoryLimit has no effect");
  });

  test("uses the options of the operator for Ingresses and batch schedulers", async () => {
    const files = { "options.yaml": "ingressUrlFormat: ui.example/{{$appName}}\ndefaultBatchScheduler: yunikorn" };
    const { driver, items } = await renderApplication(applicationText(), ["--operator-options", "options.yaml"], files);
    const ingress = items.find(({ kind }) => kind === "Ingress");
    expect(JSON.stringify(ingress)).toContain('"path":"/pi(/|$)(.*)"');
    expect(items.some(({ data }) => data?.["spark.properties"]?.includes("spark.ui.proxyBase=/pi"))).toBe(true);
    expect(driver.spec).toMatchObject({ schedulerName: "yunikorn" });
    expect(driver.metadata?.annotations?.["yunikorn.apache.org/task-groups"]).toContain('"memory":"1408Mi"');
  });

  test("makes a PodGroup for Volcano, with memory as quantities or as Spark requests it", async () => {
    const group = async (memory: string) => {
      const spec = `  batchScheduler: volcano\n  driver: {memory: ${memory}}\n  executor: {memory: ${memory}, instances: 2}`;
      const { items } = await render(spec);
      return items.find(({ kind }) => kind === "PodGroup")?.spec;
    };
    expect(await group("1G")).toEqual({ minMember: 1, minResources: { cpu: "3", memory: "3G" } });
    expect(await group("1g")).toEqual({ minMember: 1, minResources: { cpu: "3", memory: "4224Mi" } });
  });

  test("passes a master on that the driver cannot use, with a warning", async () => {
    const { exit, error, items } = await render("  driver: {kubernetesMaster: 'k8s://https://api:6443'}");
    expect([exit, error]).toEqual([
      0,
      "Warning: app.yaml: spec.driver.kubernetesMaster: the driver cannot use k8s://https://api:6443. Write https://api:6443.\n",
    ]);
    const properties = items.find(({ data }) => data?.["spark.properties"])?.data?.["spark.properties"];
    expect(properties).toContain("spark.kubernetes.driver.master=k8s\\://https\\://api\\:6443");
  });

  test("submits nothing for a suspended application", async () => {
    const { exit, out, error } = await runWithFiles(["render", "--json", "--spark-application", "app.yaml"], {
      "app.yaml": applicationText("  suspend: true"),
    });
    expect([exit, JSON.parse(out)]).toEqual([0, { apiVersion: "v1", kind: "List", items: [] }]);
    expect(error).toBe("app.yaml: pi is suspended: nothing is submitted.\n");
  });

  test("emulates the operator's Spark for a version that Firesteel does not know", async () => {
    const { exit, items } = await render("  sparkVersion: 3.1.1\n  image: spark");
    expect(exit).toBe(0);
    expect(items.map(({ kind }) => kind)).not.toContain("NetworkPolicy");
  });
});

describe("a SparkApplication is rejected", () => {
  test.each([
    ["  sparkVersion: 4.0", "spec.sparkVersion is a number, not a string"],
    ["  driver: {memroy: 1g}", "there is no field spec.driver.memroy.\nHint: Did you mean spec.driver.memory?"],
    ["  type: Go", 'spec.type is "Go", but can only be Java, Python, Scala, R'],
    ["  driver: {cores: 0}", "spec.driver.cores is 0, but must be at least 1"],
    ["  sparkConf: {spark.master: local}", "spec.sparkConf must not contain spark.master"],
    ["  nodeSelector: {a: b}\n  driver: {nodeSelector: {a: b}}", "spec.nodeSelector excludes spec.driver.nodeSelector"],
    ["  sparkVersion: 2.4.8\n  driver: {template: {}}", "needs Spark 3.0.0 or newer, but spec.sparkVersion is 2.4.8"],
    ["  driver: {memoryLimit: lots}", 'spec.driver.memoryLimit is "lots"'],
    ["  driver: {template: {spec: {containers: {}}}}", "spec.driver.template.spec.containers is not a list of objects"],
    ["  batchScheduler: armada", 'spec.batchScheduler is "armada", which is not a known batch scheduler'],
    [
      "  driver: {volumeMounts: [{name: spark-local-dir-1, mountPath: /x}]}",
      "mounts spark-local-dir-1, which is not in spec.volumes",
    ],
    [
      "  volumes: [{name: spark-local-dir-1, configMap: {name: c}}]\n  driver: {volumeMounts: [{name: spark-local-dir-1, mountPath: /x}]}",
      "Spark cannot mount a volume of this kind",
    ],
    [
      "  driver: {sidecars: [{name: spark-kubernetes-driver, image: x}]}",
      "has the name spark-kubernetes-driver, which another container of the pod has",
    ],
  ])("%s", async (spec, message) => {
    const { exit, error } = await render(spec);
    expect(exit).toBe(1);
    expect(error).toContain(message);
  });

  test("with all problems of its fields at once", async () => {
    const { error } = await render("  arguments: [1]\n  driver: {cores: x}\n  restartPolicy: {onFailureRetries: -1}");
    expect(error.match(/^Error: app\.yaml: \S+/gm)).toEqual([
      "Error: app.yaml: spec.arguments[0]",
      "Error: app.yaml: spec.driver.cores",
      "Error: app.yaml: spec.restartPolicy.onFailureRetries",
    ]);
  });

  test.each([
    ["Report", "which is not a DNS label"],
    [`a${"b".repeat(63)}`, "has 64 characters; at most 63 are allowed"],
  ])("with the name %s", async (name, message) => {
    const { error } = await renderApplication(applicationText().replace("name: pi", `name: ${name}`));
    expect(error).toContain(message);
  });

  test("without a readable file, or with another content", async () => {
    const argv = ["render", "--spark-application", "app.yaml"];
    expect((await runWithFiles(argv, {})).error).toContain("Cannot read app.yaml: there is no such file.");
    expect((await runWithFiles(argv, { "app.yaml": "a: [" })).error).toContain("Cannot read app.yaml: ");
    const pod = await runWithFiles(argv, { "app.yaml": "apiVersion: v1\nkind: Pod" });
    expect(pod.error).toContain("app.yaml contains Pod of v1, which is not an application.");
  });

  test("unless --reserved-keys is warn", async () => {
    const { exit, error } = await render("  sparkConf: {spark.kubernetes.container.image: other:1}", [
      "--reserved-keys",
      "warn",
    ]);
    expect(exit).toBe(0);
    expect(error).toContain("Warning: app.yaml: spec.sparkConf must not contain spark.kubernetes.container.image");
  });
});
