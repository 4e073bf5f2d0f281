import { describe, expect, test } from "vitest";
import { success } from "../errors/issue.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import { appName } from "./entries/app.ts";
import { driverLabels, driverMemory, driverPodName, driverPort } from "./entries/driver.ts";
import { kerberosKeytab } from "./entries/hadoop.ts";
import { driverContainerImage } from "./entries/image.ts";
import { namespace } from "./entries/submission.ts";
import { defaultTextOf } from "./entries/topics.ts";
import { waitAppCompletion } from "./entries/watching.ts";
import type { ConfEntry } from "./entry.ts";
import type { Setting } from "./setting.ts";
import { SparkConf } from "./spark-conf.ts";
import type { SparkLine } from "./spark-version.ts";

function confOf(texts: Record<string, string>, line: SparkLine = "4.3"): SparkConf {
  const settings = Object.entries(texts).map(([key, value]): Setting => ({ key, value, origin: { kind: "conf" } }));
  const sources = { env: { NS: "from-env" }, system: { "user.name": "me" }, defaults: defaultTextOf };
  return new SparkConf(settings, { text: `${line}.0`, line }, sources);
}

describe("reading", () => {
  test("parses the text of a setting once", () => {
    const texts: string[] = [];
    const counting: ConfEntry<string> = {
      ...{
        key: "spark.x",
        doc: "",
        since: "",
        defaultText: "",
        alternatives: [],
        absent: "",
        substitutes: false,
      },
      parse: (text) => {
        texts.push(text);
        return success(text);
      },
    };
    const conf = confOf({ "spark.x": "a" });
    expect([conf.get(counting), conf.get(counting), conf.check([counting])]).toEqual(["a", "a", []]);
    expect(texts).toEqual(["a"]);
  });

  test("returns the default of an invalid setting on request", () => {
    const conf = confOf({ "spark.driver.memory": "much" });
    expect(conf.readOrAbsent(driverMemory)).toBe(1024);
    expect(conf.check([driverMemory])).toHaveLength(1);
  });

  test("returns the default of an absent setting", () => {
    expect(confOf({}).get(driverMemory)).toBe(1024);
    expect(confOf({}).get(driverPodName)).toBeUndefined();
  });

  test("reads an older name if the own key is absent", () => {
    expect(confOf({ "spark.yarn.keytab": "/old" }).get(kerberosKeytab)).toBe("/old");
    expect(confOf({ "spark.yarn.keytab": "/old", "spark.kerberos.keytab": "/new" }).get(kerberosKeytab)).toBe("/new");
    expect(confOf({ "spark.yarn.keytab": "/old" }).has(kerberosKeytab)).toBe(true);
  });

  test("reads a fallback if the own key is absent", () => {
    expect(confOf({ "spark.kubernetes.container.image": "both" }).get(driverContainerImage)).toBe("both");
    expect(confOf({}).get(driverContainerImage)).toBeUndefined();
  });

  test("throws Spark's message of the version for an invalid text", () => {
    const bad = { "spark.kubernetes.submission.waitAppCompletion": "yes" };
    expect(() => confOf(bad, "3.5").get(waitAppCompletion)).toThrow(
      "spark.kubernetes.submission.waitAppCompletion should be boolean, but was yes",
    );
    try {
      confOf(bad).get(waitAppCompletion);
      expect.unreachable();
    } catch (error) {
      expect(isSubmitError(error) && error.code).toBe("SUBMIT_ERR_SETTING_TYPE");
    }
  });

  test("reports all issues together", () => {
    const conf = confOf({ "spark.driver.memory": "x", "spark.driver.port": "http" });
    expect(conf.check([driverMemory, driverPort, namespace]).map(({ code }) => code)).toEqual([
      "SUBMIT_ERR_SETTING_TYPE",
      "SUBMIT_ERR_SETTING_RAW_INTEGER",
    ]);
  });

  test("returns the members of a family by the rest of their key, sorted", () => {
    const conf = confOf({
      "spark.kubernetes.driver.label.team/b": "2",
      "spark.kubernetes.driver.label.a": "${env:NS}",
      "spark.kubernetes.driver.label.": "none",
      "spark.kubernetes.driver.labels": "no",
    });
    expect([...conf.withPrefix(driverLabels)]).toEqual([
      ["", "none"],
      ["a", "${env:NS}"],
      ["team/b", "2"],
    ]);
  });
});

describe("substitution", () => {
  const namespaceOf = (value: string, more: Record<string, string> = {}) =>
    confOf({ "spark.kubernetes.namespace": value, ...more }).get(namespace);

  test("resolves other settings, their defaults, variables and JVM properties", () => {
    expect(namespaceOf("x-${spark.app.name}", { "spark.app.name": "pi" })).toBe("x-pi");
    expect(namespaceOf("${spark.driver.memory}")).toBe("1g");
    expect(namespaceOf("${env:NS}-${system:user.name}")).toBe("from-env-me");
  });

  test("resolves references in values, and fallbacks of settings without a value", () => {
    expect(namespaceOf("${spark.app.name}", { "spark.app.name": "${env:NS}" })).toBe("from-env");
    const images = { "spark.kubernetes.container.image": "img" };
    expect(namespaceOf("${spark.kubernetes.driver.container.image}", images)).toBe("img");
  });

  test("keeps references that cannot be resolved", () => {
    const text = "${env:NOPE} ${spark.nope} ${other:NS} ${} $NS";
    expect(namespaceOf(text)).toBe(text);
  });

  test("rejects a circular reference with Spark's message", () => {
    const conf = confOf({ "spark.kubernetes.namespace": "${spark.a}", "spark.a": "${spark.a}" });
    expect(conf.read(namespace)).toEqual({
      ok: false,
      issues: [
        {
          code: "SUBMIT_ERR_SETTING_CIRCULAR",
          message: "requirement failed: Circular reference in ${spark.a}: spark.a",
        },
      ],
    });
  });

  test("rejects references that expand without limit", { tags: "long" }, () => {
    const doubled = Array.from({ length: 60 }, (_, at) => [`spark.r${at + 1}`, `\${spark.r${at}}\${spark.r${at}}`]);
    const nested = Array.from({ length: 20_000 }, (_, at) => [`spark.n${at + 1}`, `\${spark.n${at}}`]);
    const more = { ...Object.fromEntries([...doubled, ...nested]), "spark.r0": "x", "spark.n0": "x" };
    const codesOf = (value: string) => {
      const result = confOf({ "spark.kubernetes.namespace": value, ...more }).read(namespace);
      return result.ok ? result.value?.length : result.issues.map(({ code }) => code);
    };
    expect(codesOf("${spark.r10}")).toBe(1024);
    expect(codesOf("${spark.r60}")).toEqual(["SUBMIT_ERR_SETTING_EXPANSION"]);
    expect(codesOf("${spark.n100}")).toBe(1);
    expect(codesOf("${spark.n20000}")).toEqual(["SUBMIT_ERR_SETTING_EXPANSION"]);
  });

  test("takes linear time for references without an end", () => {
    const text = `${"${".repeat(200_000)} }`;
    expect(namespaceOf(text)).toBe(text);
  });

  test("keeps the text of raw settings", () => {
    expect(confOf({ "spark.app.name": "${env:NS}" }).get(appName)).toBe("${env:NS}");
  });
});
