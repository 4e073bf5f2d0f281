import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../command-line/parse.ts";
import { orThrow } from "../errors/submit-error.ts";
import { settingTexts } from "./setting-texts.ts";
import { argumentsToInvocation, toCommandLine, toInvocation } from "./to-invocation.ts";

const wait = "spark.kubernetes.submission.waitAppCompletion=false";

describe("options", () => {
  test("become the submission of the same command line", () => {
    const { invocation, issues } = toInvocation(
      { master: "k8s://https://h", namespace: "jobs", conf: { "spark.executor.cores": 2 } },
      {
        ...{ app: "etl.jar", mainClass: "Etl", name: "etl", args: ["1", "--x"], jars: ["a.jar", "b.jar"] },
        ...{ files: ["f"], archives: ["z.zip#z"], packages: ["g:a:1"], excludePackages: ["g:b"], repositories: ["r"] },
        ...{ proxyUser: "ana", token: "t-1", propertiesFile: "p.conf", image: "etl:7", namespace: "night" },
        python: { files: ["d.zip"], executable: "py", driverExecutable: "dpy" },
        conf: { "spark.executor.cores": 3, "spark.executor.memory": "8g" },
        extraConf: { "spark.executor.memory": "9g", "spark.a": true },
      },
    );
    const args = [
      ...["--master", "k8s://https://h", "--deploy-mode", "cluster", "--class", "Etl", "--name", "etl"],
      ...["--jars", "a.jar,b.jar", "--files", "f", "--archives", "z.zip#z", "--py-files", "d.zip"],
      ...["--packages", "g:a:1", "--exclude-packages", "g:b", "--repositories", "r", "--proxy-user", "ana"],
      ...["--submission-token", "t-1", "--properties-file", "p.conf"],
      ...["--conf", "spark.executor.cores=3", "--conf", "spark.kubernetes.namespace=night"],
      ...[
        "--conf",
        "spark.executor.memory=9g",
        "--conf",
        "spark.a=true",
        "--conf",
        "spark.kubernetes.container.image=etl:7",
      ],
      ...["--conf", "spark.pyspark.python=py", "--conf", "spark.pyspark.driver.python=dpy", "--conf", wait],
      ...["etl.jar", "1", "--x"],
    ];
    expect(issues).toEqual([]);
    const parsed = orThrow(parseCommandLine(args, "4.3"));
    const texts = ({ settings }: Pick<typeof parsed, "settings">) =>
      settings.map(({ key, value }) => `${key}=${value}`).toSorted();
    expect(texts(invocation)).toEqual(texts(parsed));
    // Only drivers on this machine get options as arguments.
    expect(invocation).toEqual({ ...parsed, forwardedOptions: [], settings: expect.any(Array) });
  });

  test("of a client alone select its cluster", () => {
    const { commandLine } = toCommandLine({ context: "prod", sparkVersion: "4.1", extraConf: { "spark.a": 1 } });
    expect(commandLine.fields).toEqual({});
    expect(commandLine.settings.map(({ key, value }) => `${key}=${value}`)).toEqual([
      ...["spark.a=1", "spark.kubernetes.context=prod", "spark.firesteel.sparkVersion=4.1"],
    ]);
  });
});

test("arguments take precedence over the client, but never wait", () => {
  const client = { master: "k8s://https://h", namespace: "jobs", extraConf: { "spark.a": "1", "spark.b": "1" } };
  const conf = ["--conf", "spark.b=2", "--conf", "spark.kubernetes.submission.waitAppCompletion=true"];
  const { invocation } = argumentsToInvocation(client, ["--master", "k8s://https://other", ...conf, "a.py"]);
  expect(invocation.fields).toEqual({ master: "k8s://https://other", deployMode: "cluster" });
  expect(invocation.settings.map(({ key, value }) => `${key}=${value}`)).toEqual([
    ...["spark.a=1", "spark.kubernetes.namespace=jobs", "spark.b=2", wait],
  ]);
});

test("numbers are printed in digits, lists with commas, and undefined values are left out", () => {
  const values = { "spark.a": 1e21, "spark.b": 0.5, "spark.c": ["x", "y"], "spark.d": undefined, "spark.e": "" };
  const { settings, issues } = settingTexts([["conf", values]]);
  expect(settings.map(({ value }) => value)).toEqual(["1000000000000000000000", "0.5", "x,y", ""]);
  expect(issues).toEqual([]);
  const invalid = settingTexts([["conf", { "spark.a": Number.NaN, "spark.b": null, "spark.c": ["x,y"] }]]).issues;
  expect(invalid.map(({ message }) => message)).toEqual([
    'Invalid option conf["spark.a"]: the number NaN is not a finite number.',
    'Invalid option conf["spark.b"]: null is not a text, number or boolean.',
    'Invalid option conf["spark.c"][0]: the text contains a comma, which separates items.',
  ]);
});
