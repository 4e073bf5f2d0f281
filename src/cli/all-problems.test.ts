import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { main } from "./main.ts";

/** One problem of each class: arguments of a submission, and the message. */
const problems = {
  "an unknown option": [["--executer-memory", "1g"], "Unrecognized option: --executer-memory"],
  "an invalid --conf": [["--conf", "x"], "Invalid argument to --conf: x"],
  "a properties file": [["--properties-file", "/w/none.conf"], "Invalid properties file '/w/none.conf'."],
  "a memory size": [["--driver-memory", "12x"], "Driver memory must be a positive number"],
  "a number of cores": [["--executor-cores", "x"], "Executor cores must be a positive number"],
  "a number of executors": [["--num-executors", "-1"], "Number of executors must be a positive number"],
  "two accounts": [
    ["--proxy-user", "u", "--principal", "p"],
    "Only one of --proxy-user or --principal can be provided.",
  ],
  "a pattern": [["--archives", "/w/{a"], "Illegal file pattern: error parsing regexp: Unclosed group at pos 2: `{a`"],
  "a missing file": [["--files", "/w/missing.txt"], "/w/missing.txt (spark.files) is not a file on this machine."],
  "a pod template": [
    ["--conf", "spark.kubernetes.driver.podTemplateFile=/w/bad.yaml"],
    "Could not load pod from template file.",
  ],
  "a feature step": [
    ["--conf", "spark.firesteel.featureSteps=./none.mjs"],
    "Cannot load the module ./none.mjs of spark.firesteel.featureSteps: Cannot find module './none.mjs'",
  ],
  "a type of volume": [
    ["--conf", "spark.kubernetes.driver.volumes.disk.data.mount.path=/data"],
    "Kubernetes Volume type `disk` is not supported",
  ],
  "a mount path": [
    ["a", "b"].flatMap((name) => [...["--conf", `spark.kubernetes.driver.volumes.emptyDir.${name}.mount.path=/d`]]),
    "requirement failed: Found duplicated mountPath: '/d'",
  ],
  "an unknown setting": [["--conf", "spark.firesteel.lgos=driver"], "Unknown setting spark.firesteel.lgos (--conf)."],
  "a reserved label": [
    ["--conf", "spark.kubernetes.driver.label.spark-role=b"],
    "requirement failed: Label with key spark-role is not allowed as it is reserved for Spark bookkeeping operations.",
  ],
  "a label": [
    ["--conf", "spark.kubernetes.driver.label.team=a b"],
    'Invalid label value in spark.kubernetes.driver.label.team: "a b".',
  ],
  "an annotation": [
    ["--conf", "spark.kubernetes.executor.annotation.a b=x"],
    'Invalid annotation name in spark.kubernetes.executor.annotation.a b: "a b".',
  ],
  "a node selector": [
    ["--conf", "spark.kubernetes.node.selector.zone=a/b"],
    'Invalid node selector value in spark.kubernetes.node.selector.zone: "a/b".',
  ],
  "a package": [
    ["--packages", "org.example:lib"],
    "requirement failed: Provided Maven Coordinates must be in the form 'groupId:artifactId:version'. The coordinate provided is: org.example:lib",
  ],
  "an exclusion of packages": [
    ["--exclude-packages", "org.example"],
    'Invalid package exclusion "org.example": it does not have the form groupId:artifactId.',
  ],
  "a pull policy": [
    ["--conf", "spark.kubernetes.container.image.pullPolicy=Somtimes"],
    `[INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS] The value 'Somtimes' in the config "spark.kubernetes.container.image.pullPolicy" is invalid. It should be one of 'Always, Never, IfNotPresent'. SQLSTATE: 22022`,
  ],
  "a duration": [
    ["--conf", "spark.firesteel.startTimeout=5parsecs"],
    `[INVALID_CONF_VALUE.TYPE_MISMATCH] The value '5parsecs' in the config "spark.firesteel.startTimeout" is invalid. It should be a/an 'time in MILLISECONDS' value. SQLSTATE: 22022`,
  ],
  "a namespace": [
    ["--conf", "spark.kubernetes.namespace=A_B"],
    'Invalid namespace name in spark.kubernetes.namespace: "A_B".',
  ],
} as const satisfies Readonly<Record<string, readonly [args: readonly string[], message: string]>>;

const all = Object.values(problems);
const allArgs = all.flatMap(([args]): readonly string[] => args);
const allMessages = all.map(([, message]) => message);

const submission = ["--deploy-mode", "cluster", "--class", "M", "--conf", "spark.kubernetes.container.image=i:1"];

interface Call {
  readonly master?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command, and returns the messages of its errors. */
async function errorsOf(argv: readonly string[], { env = {} }: Call = {}): Promise<readonly string[]> {
  const host = testHost({ argv, env, cwd: "/w", files: { "/w/bad.yaml": "a: [" } });
  expect(await main(host)).not.toBe(0);
  return host.errorText().match(/(?<=^Error: |^Exception in thread "main" [\w.]+: ).*$/gm) ?? [];
}

function submit(args: readonly string[], { master = "k8s://https://h:6443", ...call }: Call = {}) {
  return errorsOf(["submit", "--master", master, ...submission, ...args, "local:///a.jar"], call);
}

describe("all problems of a submission are reported at once", () => {
  test("of every pair of classes", { tags: "long" }, async () => {
    const missing: string[] = [];
    for (const [index, [firstArgs, first]] of all.entries()) {
      for (const [secondArgs, second] of all.slice(index + 1)) {
        const errors = await submit([...firstArgs, ...secondArgs]);
        if (!errors.includes(first) || !errors.includes(second))
          missing.push(`${first} + ${second}: ${errors.join("; ")}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test.each([
    ["submit", []],
    ["render", []],
    ["explain", []],
    ["diff", ["--with-spark-version", "4.0"]],
  ])("by firesteel %s", async (command, own) => {
    const master = ["--master", "k8s://https://h:6443"];
    expect(await errorsOf([command, ...own, ...master, ...submission, ...allArgs, "local:///a.jar"])).toEqual(
      expect.arrayContaining(allMessages),
    );
  });

  test("before the embedded cluster starts", async () => {
    expect(await submit(allArgs, { master: "k8s://embedded" })).toEqual(expect.arrayContaining(allMessages));
    const [args, message] = problems["a pull policy"];
    expect(await submit(args, { master: "k8s://embedded" })).toEqual([message]);
  });

  test("with an invalid master or deploy mode that means Kubernetes", async () => {
    const scheme = "Invalid Kubernetes master scheme: ftp found in URL: ftp://h";
    expect(await submit(allArgs, { master: "k8s://ftp://h" })).toEqual(
      expect.arrayContaining([scheme, ...allMessages]),
    );
    const unknown = "Master must either be yarn or start with spark, k8s, or local";
    expect(await submit(allArgs, { master: "kubernetes" })).toEqual(expect.arrayContaining([unknown, ...allMessages]));
    const mode = '--deploy-mode must be either "client" or "cluster"';
    expect(await submit(["--deploy-mode", "clustr", ...allArgs])).toEqual(
      expect.arrayContaining([mode, ...allMessages]),
    );
  });

  test("with an unknown master, as far as they are independent of it", async () => {
    const [pullPolicy, unknown] = [problems["a pull policy"][1], problems["an unknown setting"][1]];
    const args = ["--master", "yran", "--num-executors", "x", "--conf", "spark.firesteel.lgos=driver"];
    expect(await errorsOf(["submit", ...args, "--conf", "spark.firesteel.logs=drivr", "a.jar"])).toEqual([
      "Number of executors must be a positive number",
      "Master must either be yarn or start with spark, k8s, or local",
      pullPolicy
        .replace("Somtimes", "drivr")
        .replace("spark.kubernetes.container.image.pullPolicy", "spark.firesteel.logs")
        .replace("Always, Never, IfNotPresent", "none, driver, all"),
      unknown,
    ]);
  });

  test("with a missing application", async () => {
    const argv = ["submit", "--master", "k8s://https://h:6443", ...submission, "--num-executors", "x"];
    expect(await errorsOf(argv)).toEqual([
      "Missing application resource.",
      "Must specify a primary resource (JAR or Python or R file)",
      "Number of executors must be a positive number",
    ]);
  });

  test("but with Spark's behavior only the first", async () => {
    const env = { FIRESTEEL_STRICT: "1" };
    const {
      "an unknown option": option,
      "a memory size": memory,
      "a type of volume": type,
      "a pull policy": policy,
    } = problems;
    expect(await submit(allArgs, { env })).toEqual([option[1]]);
    expect(await submit([...policy[0], ...memory[0], ...type[0]], { env })).toEqual([memory[1]]);
    expect(await submit([...type[0], ...policy[0]], { env })).toEqual([policy[1]]);
  });
});
