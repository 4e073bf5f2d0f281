import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type SparkLine, sparkLines } from "../conf/spark-version.ts";
import { dependsOnLine, optionsOf } from "./options.ts";
import { parseCommandLine } from "./parse.ts";

function parsed(argv: readonly string[], line: SparkLine = "4.3") {
  const result = parseCommandLine(argv, line);
  return result.ok ? result.value : result.issues.map(({ code, message }) => `${code}: ${message}`);
}

function settingsOf(argv: readonly string[]): Record<string, string> {
  const result = parsed(argv);
  if (!("settings" in result)) return {};
  return Object.fromEntries(result.settings.map(({ key, value }) => [key, value]));
}

describe("parseCommandLine: arguments and values", () => {
  test("ends the options at the first positional, and passes the rest to the application", () => {
    expect(parsed(["--name", "a", "--name=b=c", "-v", "app.jar", "--master", "yarn", "--", "-v"])).toMatchObject({
      action: "submit",
      resource: "app.jar",
      appArgs: ["--master", "yarn", "--", "-v"],
      fields: { name: "b=c" },
      verbose: true,
    });
  });

  test("takes the next argument as value, even if it begins with a hyphen", () => {
    expect(parsed(["--master", "--master", "app.jar"])).toMatchObject({ fields: { master: "--master" } });
  });

  test("ignores the value of a switch", () => {
    expect(parsed(["--verbose=false", "app.jar"])).toMatchObject({ verbose: true });
  });

  test.each([
    [["--blarg=3", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --blarg"],
    [["-c=k=v", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: -c=k=v"],
    [["--name=", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --name="],
    [["--", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --"],
    [["-", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: -"],
    [["--conf=a=b\nc", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --conf=a=b\nc"],
    [["--Master", "app.jar"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --Master"],
    [["--conf", "", "app.jar"], "SUBMIT_ERR_ARG_CONF: Invalid argument to --conf: "],
    [["app.jar", "--kill"], undefined],
    [["--kill"], "SUBMIT_ERR_ARG_VALUE_MISSING: Missing argument for option '--kill'."],
    [["-c"], "SUBMIT_ERR_ARG_VALUE_MISSING: Missing argument for option '-c'."],
    [["--version", "--foo"], "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --foo"],
  ])("%j", (argv, message) => {
    const result = parsed(argv);
    expect(Array.isArray(result) ? result[0] : undefined).toBe(message);
  });

  test("reports all problems of a command line", () => {
    expect(parsed(["--foo", "--conf", "x", "--deploy-mode", "here", "--name"])).toEqual([
      "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --foo",
      "SUBMIT_ERR_ARG_CONF: Invalid argument to --conf: x",
      "SUBMIT_ERR_ARG_VALUE_MISSING: Missing argument for option '--name'.",
      "SUBMIT_ERR_APP_RESOURCE_MISSING: Missing application resource.",
      "SUBMIT_ERR_PRIMARY_RESOURCE_MISSING: Must specify a primary resource (JAR or Python or R file)",
      'SUBMIT_ERR_DEPLOY_MODE_OPTION: --deploy-mode must be either "client" or "cluster"',
    ]);
  });

  test("removes carriage returns, except for the search of the equals sign", () => {
    const argv = ["--conf", "spark.x=a\r\nb", "app.jar\r", "c\rd"];
    expect(parsed(argv)).toMatchObject({ resource: "app.jar", appArgs: ["cd"] });
    expect(settingsOf(argv)).toEqual({ "spark.x": "a\nb" });
  });

  test("passes any application arguments unchanged", () => {
    const free = fc.string().filter((text) => !text.startsWith("-") && !text.includes("\r"));
    fc.assert(
      fc.property(free, fc.array(fc.string().filter((text) => !text.includes("\r"))), (resource, appArgs) => {
        const isProgram = ["run-example", "pyspark-shell-main", "sparkr-shell-main"].includes(resource);
        if (!isProgram) expect(parsed([resource, ...appArgs])).toMatchObject({ resource, appArgs });
      }),
    );
  });
});

describe("parseCommandLine: settings", () => {
  test("takes the later one of a driver option and --conf", () => {
    expect(settingsOf(["--driver-memory", "2g", "-c", "spark.driver.memory=3g", "a.jar"])).toEqual({
      "spark.driver.memory": "3g",
    });
    expect(settingsOf(["-c", "spark.driver.memory=3g", "--driver-memory", "2g", "a.jar"])).toEqual({
      "spark.driver.memory": "2g",
    });
  });

  test("keeps other options separate from --conf", () => {
    const argv = ["--executor-memory", "5g", "--conf", "spark.executor.memory=4g", "a.jar"];
    expect(parsed(argv)).toMatchObject({ fields: { executorMemory: "5g" } });
    expect(settingsOf(argv)).toEqual({ "spark.executor.memory": "4g" });
  });

  test("rejects options that the Spark line lacks", () => {
    expect(parsed(["--load-spark-defaults", "a.jar"], "3.5")).toEqual([
      "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --load-spark-defaults",
    ]);
    expect(parsed(["--load-spark-defaults", "a.jar"], "4.0")).toMatchObject({ loadsDefaults: true });
    expect(parsed(["--extra-properties-file", "x", "a.jar"], "4.1")).toContain(
      "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --extra-properties-file",
    );
  });
});

describe("parseCommandLine: actions", () => {
  test("returns usage without arguments", () => {
    expect(parsed([])).toMatchObject({ action: "usage", reason: "nothing" });
  });

  test.each([
    [["--help"], { action: "usage", reason: "help" }],
    [["--usage-error"], { action: "usage", reason: "error" }],
    [["--kill", "a", "--version"], { action: "version" }],
    [["--kill", "ns:drv", "--master", "m"], { action: "kill", submissionId: "ns:drv", fields: { master: "m" } }],
    [["--status", "b", "more"], { action: "status", submissionId: "b" }],
    [["app.jar", "--help"], { action: "submit" }],
  ])("%j", (argv, invocation) => {
    expect(parsed(argv)).toMatchObject(invocation);
  });

  test("rejects two actions", () => {
    expect(parsed(["--kill", "a", "--status", "b"])).toEqual([
      "SUBMIT_ERR_ACTIONS_CONFLICT: Action cannot be both KILL and REQUEST_STATUS.",
    ]);
    expect(parsed(["--kill", "a", "--kill", "b"])).toEqual([
      "SUBMIT_ERR_ACTIONS_CONFLICT: Action cannot be both KILL and KILL.",
    ]);
  });

  test("checks the deploy mode before --help", () => {
    expect(parsed(["--help", "--deploy-mode", "foo"])).toEqual([
      'SUBMIT_ERR_DEPLOY_MODE_OPTION: --deploy-mode must be either "client" or "cluster"',
    ]);
  });
});

describe("parseCommandLine: shells and examples", () => {
  test("accepts options after the arguments of a shell, with the shell's class", () => {
    const argv = ["--class", "org.apache.spark.repl.Main", "--foo=bar", "baz", "--master", "local", "x.jar"];
    expect(parsed(argv)).toMatchObject({
      resource: "spark-shell",
      appArgs: ["--foo", "baz", "x.jar"],
      fields: { master: "local" },
    });
    expect(parsed(["--foo", "--class", "org.apache.spark.repl.Main"])).toEqual([
      "SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --foo",
    ]);
  });

  test("completes the class name for run-example", () => {
    expect(parsed(["run-example", "SparkPi", "10"])).toMatchObject({
      isExample: true,
      fields: { mainClass: "org.apache.spark.examples.SparkPi" },
      appArgs: ["10"],
    });
    expect(parsed(["run-example", "--master", "local"])).toEqual([
      "SUBMIT_ERR_EXAMPLE_CLASS_MISSING: Missing example class name.",
    ]);
    const unknown = ["run-example", "--foo", "SparkPi"];
    expect(parsed(unknown)).toEqual(["SUBMIT_ERR_ARG_UNKNOWN: Unrecognized option: --foo"]);
    expect(parseCommandLine(unknown, "4.3", { exampleOptions: "spark" })).toMatchObject({
      value: { fields: { mainClass: "org.apache.spark.examples.--foo" }, appArgs: ["SparkPi"] },
    });
  });

  test("selects pyspark at any position, with any arguments after it", () => {
    expect(parsed(["pyspark-shell-main", "--name", "N"])).toMatchObject({ resource: "pyspark-shell" });
    expect(parsed(["--name", "N", "pyspark-shell-main", "x"])).toMatchObject({
      shell: "python",
      appArgs: ["x"],
    });
    expect(parsed(["sparkr-shell-main", "x.R"])).toMatchObject({ shell: "r", appArgs: ["x.R"] });
  });

  test("prefers the class of another shell to pyspark and sparkR", () => {
    for (const program of ["pyspark-shell-main", "sparkr-shell-main"]) {
      const invocation = parsed([program, "--class", "org.apache.spark.repl.Main", "x"]);
      expect(invocation).toMatchObject({ resource: "spark-shell", appArgs: ["x"] });
      expect(invocation).not.toHaveProperty("shell");
    }
  });

  test("leaves an invalid deploy mode to the submission if there is no other problem", () => {
    expect(parsed(["pyspark-shell-main", "--deploy-mode", "foo"])).toMatchObject({
      fields: { deployMode: "foo" },
    });
  });

  test("has no Spark Connect shell for Spark 3.5", () => {
    const argv = ["--class", "org.apache.spark.sql.application.ConnectRepl", "--foo"];
    expect(parsed(argv)).toMatchObject({ resource: "connect-shell", appArgs: ["--foo"] });
    expect(parseCommandLine(argv, "3.5").ok).toBe(false);
    expect(dependsOnLine(argv)).toBe(true);
  });
});

test("option names are unique", () => {
  const names = optionsOf("4.3").flatMap(({ flag, alias }) => (alias === undefined ? [flag] : [flag, alias]));
  expect(new Set(names).size).toBe(names.length);
});

describe("parseCommandLine with any arguments", () => {
  const flags = sparkLines.flatMap((line) => optionsOf(line).flatMap(({ flag, alias = flag }) => [flag, alias]));
  const anyArg = fc.oneof(
    fc.constantFrom(...flags),
    fc.constantFrom(...flags).map((flag) => `${flag}=x`),
    fc.constantFrom("spark.a=b", "a.jar", "-", "--", "=", "", "-c", "--conf=spark.a=b", "SparkPi", "\r"),
    fc.string(),
  );

  test("returns an invocation or issues", () => {
    fc.assert(
      fc.property(fc.array(anyArg, { maxLength: 8 }), fc.constantFrom(...sparkLines), (argv, line) => {
        const result = parseCommandLine(argv, line);
        if (result.ok) expect(result.value.action).toMatch(/^(usage|version|submit|kill|status)$/);
        else expect(result.issues).not.toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("accepts --name=value as --name value", () => {
    const options = optionsOf("4.3").flatMap((option) => ("value" in option ? [option.flag] : []));
    const value = fc.string({ minLength: 1 }).filter((text) => !/[-=\r]/.test(text));
    fc.assert(
      fc.property(fc.constantFrom(...options), value, (flag, text) => {
        expect(parsed([`${flag}=${text}`, "a.jar"])).toEqual(parsed([flag, text, "a.jar"]));
      }),
    );
  });
});

test("collects the values of an option that can be repeated", () => {
  const parsed = parseCommandLine(["--mount", "a:/a", "--conf", "spark.x=1", "--mount=b:/b", "app.py"], "4.3");
  expect(parsed.ok && parsed.value.settings.find(({ key }) => key === "spark.firesteel.mounts")).toEqual({
    key: "spark.firesteel.mounts",
    value: "a:/a,b:/b",
    origin: { kind: "option", option: "--mount" },
  });
});
