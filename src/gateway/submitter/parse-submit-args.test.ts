import { describe, expect, test } from "vitest";
import { parseSubmitArgs } from "./parse-submit-args.ts";

const parse = (...args: string[]) => parseSubmitArgs(args, "4.3");

describe("parseSubmitArgs", () => {
  test("reads options, settings, the application and its arguments", () => {
    const args = ["--master", "k8s://https://10.0.0.1:443", "--deploy-mode", "cluster", "--class", "Main"];
    const more = ["--name", "app", "--conf", "spark.a=b=c", "--proxy-user", "bob", "local:///a.jar", "--day", "a b"];
    expect(parse(...args, ...more)).toMatchObject({
      ok: true,
      name: "app",
      submission: {
        fields: { mainClass: "Main", name: "app", proxyUser: "bob" },
        settings: { "spark.a": "b=c" },
        resource: "local:///a.jar",
        appArgs: ["--day", "a b"],
      },
    });
  });

  test.each([
    [["--master", "k8s://a", "--kill", "jobs:*"], "must submit an application"],
    [["--version"], "must submit an application"],
    [["--master", "k8s://a", "--class", "Main"], "primary resource"],
    [["--master", "yarn", "a.jar"], 'not "yarn"'],
    [["--conf", "spark.master=local", "a.jar"], 'not "local"'],
    [["--deploy-mode", "client", "a.jar"], 'not "client"'],
    [["--conf", "spark.submit.deployMode=client", "a.jar"], 'not "client"'],
    [["--properties-file", "/etc/passwd", "a.jar"], "Properties files are not supported"],
    [["--load-spark-defaults", "a.jar"], "Properties files are not supported"],
    [["--conf", "spark.a", "a.jar"], "spark.a"],
    [["--no-such-option", "a.jar"], "--no-such-option"],
    [["pyspark-shell-main"], "Shells and examples are not supported"],
  ])("rejects %o", (args, problem) => {
    const parsed = parse(...args);
    expect(parsed.ok ? "" : parsed.problems.join(" ")).toContain(problem);
  });
});
