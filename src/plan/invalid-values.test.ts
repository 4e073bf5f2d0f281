import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuantity } from "../values/quantity.ts";
import { invalidValueIssues } from "./invalid-values.ts";
import { testRequest } from "./test-driver.ts";

function found(key: string, value: string) {
  return invalidValueIssues(testRequest({ settings: { [key]: value } }).conf);
}

const cpuKeys = ["driver", "executor"].flatMap((role) =>
  ["request", "limit"].map((what) => `spark.kubernetes.${role}.${what}.cores`),
);

describe("invalid values", () => {
  test.each(["a#b", "a?b", "%41", "a/b", "", "A", "a.b", "-a", "a-", "x".repeat(64)])(
    "include the namespace %j",
    (value) => {
      const [issue] = found("spark.kubernetes.namespace", value);
      expect(issue?.code).toBe("SUBMIT_ERR_SETTING_NAME");
      expect(issue?.message).toBe(`Invalid namespace name in spark.kubernetes.namespace: "${value}".`);
      expect(issue?.hint).toContain("at most 63 characters");
    },
  );

  test.each(["a", "team-1", "1", "x".repeat(63)])("do not include the namespace %j", (value) => {
    expect(found("spark.kubernetes.namespace", value)).toEqual([]);
  });

  test("include a delay that the driver of the release rejects", () => {
    const key = "spark.kubernetes.allocation.batch.delay";
    const delay = (value: string, line: "3.5" | "4.0") =>
      invalidValueIssues(testRequest({ settings: { [key]: value }, line }).conf).map(({ message }) => message);
    expect(delay("100ms", "4.0")).toEqual([expect.stringContaining("must be greater than 0.1s.")]);
    expect(delay("100ms", "3.5")).toEqual([]);
    expect(delay("0", "3.5")).toEqual([expect.stringContaining("must be a positive time value.")]);
    expect(delay("101ms", "4.0")).toEqual([]);
  });

  test("include a pod name with a slash, but not one with dots", () => {
    const key = "spark.kubernetes.driver.pod.name";
    expect(found(key, "a/b").map(({ hint }) => hint)).toEqual([expect.stringContaining("253")]);
    expect(found(key, "pi-1.driver")).toEqual([]);
  });

  test("include a volume name that is not a DNS label", () => {
    expect(found("spark.kubernetes.executor.volumes.emptyDir.My_Data.mount.path", "/d")).toMatchObject([
      { message: 'Invalid volume name in spark.kubernetes.executor.volumes.emptyDir.My_Data: "My_Data".' },
    ]);
  });

  test("include two volumes of executors with one mount path", () => {
    const settings = Object.fromEntries(
      ["a", "b"].map((name) => [`spark.kubernetes.executor.volumes.emptyDir.${name}.mount.path`, "/d"]),
    );
    expect(invalidValueIssues(testRequest({ settings }).conf)).toMatchObject([
      { code: "SUBMIT_ERR_MOUNT_PATH_DUPLICATE", message: expect.stringContaining("'/d'") },
    ]);
  });

  test.each(cpuKeys)("include %s=ab, with a hint about valid amounts", (key) => {
    expect(found(key, "ab")).toMatchObject([
      {
        code: "SUBMIT_ERR_SETTING_AMOUNT",
        message: `Invalid amount in ${key}: "ab".`,
        hint: expect.stringContaining("500m"),
      },
    ]);
  });

  test("exclude an amount that Spark also rejects, so that it is reported once", () => {
    expect(found("spark.kubernetes.driver.request.cores", "1e3k")).toEqual([]);
    expect(found("spark.kubernetes.executor.request.cores", "1e3k")).toHaveLength(1);
  });

  test("do not include any amount that Kubernetes can parse", () => {
    const number = fc.stringMatching(/^(?:\d{1,4}(?:\.\d{0,3})?|\.\d{1,3})$/);
    const suffix = fc.constantFrom("", ..."numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2");
    fc.assert(
      fc.property(number, suffix, (digits, unit) => {
        expect(found("spark.kubernetes.executor.limit.cores", `${digits}${unit}`)).toEqual([]);
      }),
    );
  });

  test("include every text that is not an amount of 0 or more", () => {
    const text = fc.stringMatching(/^[-+0-9.eEmMkKi ]{0,5}$/);
    fc.assert(
      fc.property(text, (value) => {
        const amount = parseQuantity(value);
        const isFit = amount !== undefined && amount.nano >= 0n;
        if (!isFit) expect(found("spark.kubernetes.executor.limit.cores", value)).toHaveLength(1);
      }),
    );
  });
});

describe("the driver's API server", () => {
  const key = "spark.kubernetes.driver.master";

  test.each([
    ["k8s://https://10.0.0.1:6443", `${key}=https://10.0.0.1:6443`],
    ["k8s://10.0.0.1:6443", `${key}=https://10.0.0.1:6443`],
    ["K8S:https://h", `${key}=https://h`],
    ["k8s://embedded", `${key}=https://HOST:PORT`],
  ])("is rejected as %s, because every Spark takes k8s for its host (SUBMIT_ERR_DRIVER_MASTER)", (value, hint) => {
    expect(found(key, value)).toMatchObject([
      { code: "SUBMIT_ERR_DRIVER_MASTER", hint: expect.stringContaining(hint) },
    ]);
  });

  test("can be any other address, or a local master", () => {
    for (const value of ["https://h", "10.0.0.1:6443", "local[2]"]) expect(found(key, value)).toEqual([]);
  });
});
