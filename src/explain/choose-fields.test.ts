import { describe, expect, test } from "vitest";
import { fieldChooser } from "./choose-fields.ts";

const field = {
  path: "spec.containers[spark-kubernetes-driver].resources.limits.memory",
  indexed: "spec.containers[0].resources.limits.memory",
};
const setting = {
  path: "data[spark.properties][spark.driver.memory]",
  indexed: "data[spark.properties][spark.driver.memory]",
};

describe("fieldChooser", () => {
  test.each([
    [undefined, true],
    ["spec", true],
    ["spec.containers", true],
    ["spec.containers[0].resources", true],
    ["spec.containers[spark-kubernetes-driver].resources.limits.memory", true],
    ["*.limits", true],
    ["spec.*.memory", true],
    ["spec.containers[1]", false],
    ["spec.container", false],
    ["limits", false],
    ["spark.driver.memory", false],
  ])("matches a field with %j: %s", (pattern, expected) => {
    expect(fieldChooser(pattern)(field)).toBe(expected);
  });

  test.each(["spark.driver.memory", "spark.driver.*", "data"])("matches a setting of the driver with %s", (pattern) => {
    expect(fieldChooser(pattern)(setting)).toBe(true);
    expect(fieldChooser("spark.driver.mem")(setting)).toBe(false);
  });
});
