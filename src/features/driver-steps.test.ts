import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { driverSteps } from "./driver-steps.ts";

test("only steps that always apply contribute to a driver without optional settings", () => {
  const driver = testDriver();
  const contributing = driverSteps.filter((step) => Object.keys(step.contribute(driver)).length > 0);
  expect(contributing.map(({ name }) => name)).toEqual([
    "BasicDriverFeatureStep",
    "DriverServiceFeatureStep",
    "NetworkPolicyFeatureStep",
    "DriverCommandFeatureStep",
    "LocalDirsFeatureStep",
  ]);
});
