import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { driverService } from "./driver-service.ts";

test("creates a service that selects the driver and has its ports", () => {
  const driver = testDriver({ settings: { "spark.driver.port": "7000", "spark.blockManager.port": "9000" } });
  const { resources, properties } = driverService.contribute(driver);
  expect(resources).toEqual([
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: driver.serviceName, labels: { "spark-app-selector": driver.appId } },
      spec: {
        clusterIP: "None",
        ipFamilyPolicy: "SingleStack",
        ipFamilies: ["IPv4"],
        selector: driver.labels,
        ports: [
          { name: "driver-rpc-port", port: 7000, targetPort: 7000 },
          { name: "blockmanager", port: 7079, targetPort: 7079 },
          { name: "spark-ui", port: 4040, targetPort: 4040 },
          { name: "spark-connect", port: 15002, targetPort: 15002, appProtocol: "grpc" },
        ],
        publishNotReadyAddresses: false,
      },
    },
  ]);
  expect(properties).toEqual({
    "spark.driver.host": `${driver.serviceName}.default.svc`,
    "spark.driver.port": "7000",
    "spark.driver.blockManager.port": "7079",
  });
});

test("prefers the user's labels to the service's own, and supports both IP families", () => {
  const settings = {
    "spark.kubernetes.driver.service.label.spark-app-selector": "mine",
    "spark.kubernetes.driver.service.annotation.a": "b",
    "spark.kubernetes.driver.service.ipFamilyPolicy": "RequireDualStack",
    "spark.kubernetes.driver.service.ipFamilies": "IPv6,IPv4",
  };
  const [service] = driverService.contribute(testDriver({ settings, line: "3.5" })).resources ?? [];
  expect(service).toMatchObject({
    metadata: { labels: { "spark-app-selector": "mine" }, annotations: { a: "b" } },
    spec: { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] },
  });
  expect(service?.["spec"]).not.toHaveProperty("publishNotReadyAddresses");
});

test("rejects addresses of the driver with Spark's messages", () => {
  const settings = { "spark.driver.bindAddress": "0.0.0.0", "spark.driver.host": "h" };
  const issues = driverService.check?.(testDriver({ settings })) ?? [];
  expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(["SUBMIT_ERR_DRIVER_ADDRESS"]));
  expect(issues.map(({ message }) => message)).toEqual([
    "requirement failed: spark.driver.bindAddress is not supported in Kubernetes mode, as the driver's bind address is managed and set to the driver pod's IP address.",
    "requirement failed: spark.driver.host is not supported in Kubernetes mode, as the driver's hostname will be managed via a Kubernetes service.",
  ]);
});
