import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appNameLabel, confMapName, driverServiceName, resourceNamePrefix } from "./names.ts";

const id = "3f09c2a1d4e5b6f0";

describe("the resource name prefix", () => {
  test.each([
    ["Spark Pi", `spark-pi-${id}`],
    ["1st job", `xst-job-${id}`],
    ["-hello", `hello-${id}`],
    ["データ", `x${id.slice(1)}`],
    ["\u00a0a ", `a-${id}`],
    ["a..b__c", `a-b-c-${id}`],
  ])("of %s is %s", (appName, prefix) => {
    expect(resourceNamePrefix(appName, id)).toBe(prefix);
  });

  test("has only valid characters, and a valid first character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        expect(resourceNamePrefix(name, id)).toMatch(/^[a-z][a-z0-9-]*$/);
      }),
    );
  });
});

describe("the label of the application's name", () => {
  test.each([
    [" Job+Spark-Pi 2021", "job-spark-pi-2021"],
    ["-hello-", "hello"],
    [`${"a".repeat(62)}-aaa`, "a".repeat(62)],
    [`-${"a".repeat(63)}`, "a".repeat(62)],
    ["İstanbul", "i-stanbul"],
    ["データ", ""],
  ])("of %s is %s", (appName, label) => {
    expect(appNameLabel(appName)).toBe(label);
  });
});

describe("the driver service's name", () => {
  test("starts with the prefix", () => {
    expect(driverServiceName({ resourceNamePrefix: `pi-${id}`, uniqueId: "u" })).toEqual({
      name: `pi-${id}-driver-svc`,
      log: [],
    });
  });

  test("is a short name with a warning if it would be too long for a host name", () => {
    const prefix = `${"b".repeat(36)}-${id}`;
    const { name, log } = driverServiceName({ resourceNamePrefix: prefix, uniqueId: "u" });
    expect(name).toBe("spark-u-driver-svc");
    expect(log.map(({ level, text }) => `${level} ${text}`)).toEqual([
      `WARN Driver's hostname would preferably be ${prefix}-driver-svc, but this is too long (must be <= 63 characters). Falling back to use spark-u-driver-svc as the driver service's name.`,
    ]);
  });
});

test("names the ConfigMap without the application's name", () => {
  expect(confMapName(id)).toBe(`spark-drv-${id}-conf-map`);
});

test("builds a valid label and a valid service name from any application name", () => {
  const name = fc.oneof(fc.string({ unit: "grapheme", maxLength: 100 }), fc.string({ maxLength: 100 }));
  fc.assert(
    fc.property(name, (appName) => {
      const label = appNameLabel(appName);
      expect(label).toMatch(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/);
      expect(label.length).toBeLessThanOrEqual(63);
      const prefix = resourceNamePrefix(appName, id);
      const service = driverServiceName({ resourceNamePrefix: prefix, uniqueId: id }).name;
      expect(service).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
    }),
    { numRuns: 500 },
  );
});
