import { describe, expect, test } from "vitest";
import { usageText } from "./usage.ts";

describe("usageText", () => {
  const text = usageText({ line: "4.3" });

  test("has first lines, options and groups in Spark's order", () => {
    expect(text).toMatch(/^Usage: spark-submit \[options\] <app jar \| python file \| R file> \[app arguments\]\n/);
    expect(text).toContain("\nOptions:\n  --master MASTER_URL       ");
    expect(text).toContain("\n  --conf, -c PROP=VALUE     ");
    expect(text).toContain("\n Spark standalone or K8s with cluster deploy mode only:\n  --kill SUBMISSION_ID      ");
    expect(text.endsWith("\n      \n")).toBe(true);
  });

  test("has at most 80 columns after the first lines", () => {
    const body = text.slice(text.indexOf("Options:")).split("\n");
    expect(body.filter((line) => line.length > 80)).toEqual([]);
  });

  test("lists the options of the Spark line", () => {
    const old = usageText({ line: "3.5" });
    expect(old).not.toContain("--load-spark-defaults");
    expect(old).toContain(" Spark standalone, Mesos or K8s with cluster deploy mode only:");
    expect(text).not.toContain("Mesos");
    expect(text).not.toContain("--usage-error");
  });

  test("replaces the first lines for a shell", () => {
    expect(usageText({ line: "4.3", head: "Usage: ./bin/pyspark [options]" })).toMatch(
      /^Usage: \.\/bin\/pyspark \[options\]\n\nOptions:\n/,
    );
  });
});
