import { describe, expect, test } from "vitest";
import { testRequest } from "../plan/test-driver.ts";
import { redactedText } from "../values/redaction.ts";
import { redactionOf } from "./redact-field.ts";

const { ofField, ofSetting } = redactionOf(testRequest().conf);
const container = "spec.containers[c]";

describe("redactionOf", () => {
  test.each([
    ["Pod", `${container}.env[DB_PASSWORD].value`, "x"],
    ["Pod", `${container}.env[URL].value`, "https://u?token=x"],
    ["Pod", `${container}.env[SPARK_JAVA_OPT_*: -Dmy.secret].value`, "-Dmy.secret=x"],
    ["Pod", `${container}.args[3]`, "--password=x"],
    ["Pod", "metadata.annotations[my-token]", "x"],
    ["ConfigMap", "data[spark.properties][spark.my.secret]", "x"],
    ["ConfigMap", "data[metrics.properties]", "a.password=x"],
    ["Secret", "data.anything", "eA=="],
  ])("hides the value of %s %s", (kind, path, value) => {
    expect(ofField({ kind, path }, value)).toBe(redactedText);
  });

  test.each([
    ["Pod", "spec.volumes[keys].secret.secretName", "my-secret"],
    ["Pod", `${container}.env[A].valueFrom.secretKeyRef.name`, "my-secret"],
    ["Pod", `${container}.env[A].value`, "1"],
    ["Secret", "metadata.name", "my-secret"],
  ])("shows the value of %s %s", (kind, path, value) => {
    expect(ofField({ kind, path }, value)).toBe(value);
  });

  test("hides all values with an invalid expression", () => {
    const { conf } = testRequest({ settings: { "spark.redaction.regex": "(" } });
    expect(redactionOf(conf).ofSetting("spark.a", "1")).toBe(redactedText);
    expect(ofSetting("spark.a", "1")).toBe("1");
  });
});

test("hides passwords in URLs of any field", () => {
  const shown = `https://u:${redactedText}@h/x.jar`;
  expect(ofSetting("spark.jars", "https://u:hunter@h/x.jar")).toBe(shown);
  expect(
    ofField({ kind: "Pod", path: `spec.containers[spark-kubernetes-driver].image` }, "https://u:hunter@h/x.jar"),
  ).toBe(shown);
});
