import { describe, expect, test } from "vitest";
import { type TestSubmission, testDriver, testFacts } from "../plan/test-driver.ts";
import { basicDriver } from "./basic-driver.ts";

function contribute(submission: TestSubmission = {}) {
  return basicDriver.contribute(testDriver(submission));
}

describe("memory", () => {
  test.each([
    [{}, "java", "1408Mi", "0.1"],
    [{}, "python", "1433Mi", "0.4"],
    [{ "spark.driver.memory": "4g" }, "java", "4505Mi", "0.1"],
    [{ "spark.driver.memory": "4g" }, "r", "5734Mi", "0.4"],
    [{ "spark.driver.memory": "256M", "spark.driver.memoryOverhead": "200" }, "java", "456Mi", "0.1"],
    [{ "spark.driver.memoryOverhead": "0" }, "java", "1024Mi", "0.1"],
    [{ "spark.kubernetes.memoryOverheadFactor": "1" }, "python", "2048Mi", "1.0"],
    [{ "spark.kubernetes.memoryOverheadFactor": "1e10" }, "java", "2147484671Mi", "1.0E10"],
    [{ "spark.driver.memoryOverheadFactor": "0.5" }, "python", "1536Mi", "0.4"],
    [{ "spark.driver.minMemoryOverhead": "500m" }, "java", "1524Mi", "0.1"],
  ] as const)("with %j for %s is %s", (settings, kind, memory, factor) => {
    const { container, properties } = contribute({
      settings,
      appResource: { kind, uri: "local:///opt/app" },
    });
    expect(container?.resources).toEqual({ requests: { cpu: "1", memory }, limits: { memory } });
    expect(properties?.["spark.kubernetes.memoryOverheadFactor"]).toBe(factor);
  });

  test("has a fixed minimum before Spark 4.0", () => {
    const settings = { "spark.driver.minMemoryOverhead": "500m" };
    expect(contribute({ settings, line: "3.5" }).container?.resources?.limits).toEqual({ memory: "1408Mi" });
  });
});

describe("the container", () => {
  test("requests the configured resources", () => {
    const settings = {
      "spark.kubernetes.driver.container.image": "img:{{SPARK_VERSION}}",
      "spark.kubernetes.driver.request.cores": "500m",
      "spark.kubernetes.driver.limit.cores": "2",
      "spark.driver.resource.gpu.amount": "1",
      "spark.driver.resource.gpu.vendor": "nvidia.com",
      "spark.driver.resource.fpga.amount": "0",
      "spark.driver.resource.tpu.amount": "-1",
    };
    expect(contribute({ settings }).container).toMatchObject({
      name: "spark-kubernetes-driver",
      image: "img:4.3.0",
      imagePullPolicy: "IfNotPresent",
      resources: {
        requests: { cpu: "500m" },
        limits: { cpu: "2", memory: "1408Mi", "nvidia.com/gpu": "1" },
      },
      securityContext: { allowPrivilegeEscalation: false },
    });
  });

  test("keeps the name in the template", () => {
    const settings = { "spark.kubernetes.driver.podTemplateFile": "pod.yml" };
    const facts = { driverTemplate: { spec: { containers: [{ name: "mine" }] } } };
    expect(contribute({ settings, facts }).container).not.toHaveProperty("name");
  });

  test("has neither security context nor image placeholder nor connect port in Spark 3.5", () => {
    const settings = { "spark.kubernetes.container.image": "img:{{SPARK_VERSION}}" };
    const { container, ports } = contribute({ settings, line: "3.5" });
    expect(container).not.toHaveProperty("securityContext");
    expect(container?.image).toBe("img:{{SPARK_VERSION}}");
    expect(ports?.map(({ name }) => name)).toEqual(["driver-rpc-port", "blockmanager", "spark-ui"]);
  });

  test("declares the block manager's port of all roles", () => {
    const { ports } = contribute({ settings: { "spark.blockManager.port": "9000" } });
    expect(ports?.[1]).toEqual({ name: "blockmanager", containerPort: 9000, protocol: "TCP" });
  });
});

describe("the user in the pod", () => {
  test.each([
    ["4.3", "bob", { SPARK_USER: "alice" }, "bob"],
    ["4.2", "bob", { SPARK_USER: "alice" }, "alice"],
    ["4.2", "bob", {}, "bob"],
    ["4.3", undefined, { SPARK_USER: "alice" }, "alice"],
    ["4.3", undefined, {}, "tester"],
  ] as const)("in Spark %s with proxy user %s and %j is %s", (line, proxyUser, env, user) => {
    const { env: variables } = contribute({ line, proxyUser, facts: { env } });
    expect(variables?.[0]).toEqual({ name: "SPARK_USER", value: user });
  });
});

test("applies settings for environment, node selector, pull secrets, scheduler and annotations", () => {
  const settings = {
    "spark.kubernetes.driverEnv.B": "2",
    "spark.kubernetes.driverEnv.A": "",
    "spark.kubernetes.node.selector.disk": "hdd",
    "spark.kubernetes.driver.node.selector.disk": "ssd",
    "spark.kubernetes.container.image.pullSecrets": "one, two",
    "spark.kubernetes.driver.scheduler.name": "",
    "spark.kubernetes.scheduler.name": "common",
    "spark.kubernetes.driver.annotation.id": "{{APP_ID}}",
  };
  const { env, podSpec, annotations } = contribute({ settings, line: "3.5" });
  expect(env?.slice(2, 4)).toEqual([
    { name: "A", value: "" },
    { name: "B", value: "2" },
  ]);
  expect(podSpec).toEqual({
    restartPolicy: "Never",
    nodeSelector: { disk: "ssd" },
    imagePullSecrets: [{ name: "one" }, { name: "two" }],
    schedulerName: "",
  });
  expect(annotations).toEqual({ id: testFacts.appId });
});

test("passes the API server's address to a driver whose pods have no DNS, unless the user sets it", () => {
  const facts = { driverMaster: "https://127.90.0.1:6443" };
  const key = "spark.kubernetes.driver.master";
  expect(contribute({ facts }).properties?.[key]).toBe("https://127.90.0.1:6443");
  expect(contribute({ facts, settings: { [key]: "https://mine" } }).properties).not.toHaveProperty([key]);
});

describe("invalid settings", () => {
  const resource = "spark.driver.resource.gpu";

  test.each([
    [{ "spark.kubernetes.driver.request.cores": "" }, "SUBMIT_ERR_QUANTITY", "Invalid quantity string format passed."],
    [
      { "spark.kubernetes.driver.limit.cores": "1e3k" },
      "SUBMIT_ERR_QUANTITY",
      "Invalid quantity string format passed.",
    ],
    [
      { [`${resource}.amount`]: "1" },
      "SUBMIT_ERR_DRIVER_RESOURCE",
      "Resource: gpu was requested, but vendor was not specified.",
    ],
    [{ [`${resource}.vendor`]: "v" }, "SUBMIT_ERR_DRIVER_RESOURCE", "You must specify an amount for gpu"],
    [
      { [resource]: "1" },
      "SUBMIT_ERR_DRIVER_RESOURCE",
      `You must specify an amount config for resource: gpu config: ${resource}`,
    ],
    [{ [`${resource}.amount`]: "abc" }, "SUBMIT_ERR_DRIVER_RESOURCE_AMOUNT", 'For input string: "abc"'],
    [
      { "spark.driver.port": "x" },
      "SUBMIT_ERR_SETTING_RAW_INTEGER",
      'Illegal value for config key spark.driver.port: For input string: "x"',
    ],
  ])("%j cause %s", (settings, code, message) => {
    expect(basicDriver.check?.(testDriver({ settings }))).toMatchObject([{ code, message }]);
  });

  test("are reported together", () => {
    const settings = {
      "spark.driver.memoryOverhead": "12x",
      "spark.kubernetes.securityContext.allowPrivilegeEscalation": "maybe",
      "spark.kubernetes.container.image.pullPolicy": "Sometimes",
    };
    expect(basicDriver.check?.(testDriver({ settings }))).toHaveLength(3);
    expect(basicDriver.check?.(testDriver({ settings, line: "4.2" }))).toHaveLength(2);
  });

  test("are not checked if the Spark version does not have them", () => {
    const settings = {
      "spark.driver.minMemoryOverhead": "12x",
      "spark.connect.grpc.binding.port": "x",
      "spark.kubernetes.securityContext.allowPrivilegeEscalation": "maybe",
    };
    expect(basicDriver.check?.(testDriver({ settings, line: "3.5" }))).toEqual([]);
  });

  test("include a missing image", () => {
    const driver = testDriver({ settings: { "spark.kubernetes.container.image": undefined } });
    expect(basicDriver.check?.(driver)).toMatchObject([
      {
        code: "SUBMIT_ERR_IMAGE_MISSING",
        message: "Must specify the driver container image",
        hint: expect.stringMatching(/image build spark-py .*spark\.kubernetes\.container\.image=apache\/spark:4\.3\.0/),
      },
    ]);
  });
});
