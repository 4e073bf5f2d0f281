import { expect, test } from "vitest";
import { configMapVolumeNames } from "./config-map-volume-names.ts";
import { credentialVariables } from "./credential-variables.ts";
import { memoryLimitOf } from "./memory-limit.ts";
import { shortName } from "./names.ts";
import { ingressUrl } from "./services.ts";

test.each([
  ["2g", "2Gi"],
  ["2G", "2Gi"],
  ["512MB", "512Mi"],
  ["64k", "64Ki"],
  ["3Gi", "3Gi"],
  ["2147483648", "2147483648"],
  ["much", undefined],
])("the memory limit %s is the quantity %s", (text, expected) => {
  expect(memoryLimitOf(text)).toBe(expected);
});

test("volumes of ConfigMaps have valid and distinct names", () => {
  const long = "a".repeat(70);
  expect(configMapVolumeNames(["c", "c", "a.b", long, `${long}b`])).toEqual([
    "c-vol",
    "c-2-vol",
    "a-b-vol",
    `${"a".repeat(59)}-vol`,
    `${"a".repeat(57)}-2-vol`,
  ]);
});

test("a long name of an object is cut and has a hash", () => {
  expect(shortName("pi", "ui-svc", () => "0123456789abcdef")).toBe("pi-ui-svc");
  const name = shortName("n".repeat(63), "ui-svc", () => "0123456789abcdef");
  expect(name).toBe(`${"n".repeat(47)}-01234567-ui-svc`);
  expect(name).toHaveLength(63);
});

test("a credential's variable names its file", () => {
  const path = "/mnt/s/";
  expect(credentialVariables({ path, secretType: "GCPServiceAccount" })).toEqual({
    GOOGLE_APPLICATION_CREDENTIALS: "/mnt/s/key.json",
  });
  expect(credentialVariables({ path, secretType: "constructor" })).toEqual({});
});

test.each([
  ["{{$appName}}.ui.example", { host: "pi.ui.example", path: "" }],
  ["https://ui.example/{{ $appNamespace }}/{{$appId}}?x", { host: "ui.example", path: "/jobs/spark-1" }],
  ["ui.example/", { host: "ui.example", path: "/" }],
  ["/no-host", undefined],
])("the format %s becomes %j", (format, expected) => {
  expect(ingressUrl(format, { name: "pi", namespace: "jobs", appId: "spark-1" })).toEqual(expected);
});
