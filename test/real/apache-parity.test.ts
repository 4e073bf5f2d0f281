import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { comparableObjects, scrubber, sortLists } from "../golden/normalize.ts";
import { type MeasuredRun, measuredRun } from "./measured-run.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const image = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
const sparkHome = process.env["SPARK_HOME"] ?? "";
const spoken = process.env["FIRESTEEL_SPARK_VERSION"] ?? "4.3.0";

/** One client and what it is called with besides the words of a test. */
interface Client {
  readonly name: "Apache's" | "ours";
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A submission that one client made. */
interface Submission {
  readonly client: Client;
  readonly run: MeasuredRun;
  readonly pod: string;
  readonly driverAfterMs: number;
}

const figures: string[][] = [["what", "client", "exit", "driver pod after", "wall", "processor", "peak"]];
let namespace: RealNamespace;

beforeAll(async () => {
  namespace = await realNamespace(kubeconfig);
  const script = readFileSync(join(sparkHome, "examples", "src", "main", "python", "pi.py"), "utf8");
  await namespace.createScript("pi.py", script);
});

afterAll(async () => {
  await namespace?.remove();
  console.log(
    figures.map((row) => row.map((cell, at) => cell.padEnd(at === 0 ? 22 : 16)).join("")).join("\n"),
  );
});

describe("beside Apache's client on the same cluster", () => {
  const examples = "local:///opt/spark/examples";
  const pi = ["--class", "org.apache.spark.examples.SparkPi", `${examples}/jars/spark-examples.jar`, "2"];
  const pythonPi = (slices: string) => [...mountScript(), "local:///opt/script/pi.py", slices];
  const jarless = ["--class", "org.example.Nowhere", `${examples}/jars/spark-examples.jar`];

  test.each([
    { what: "Pi in Java", args: () => pi, exit: 0 },
    { what: "Pi in Python", args: () => pythonPi("2"), exit: 0 },
    { what: "a class that is missing", args: () => jarless, exit: 101 },
  ])(
    "$what: the same objects and the same words, and the driver's exit code",
    async ({ what, args, exit }) => {
      const [theirs, ours] = await submitBoth(what, args());
      expect(theirs.run.exit).toBe(0);
      expect(ours.run.exit).toBe(exit);
      await expectTheSame(theirs, ours);
    },
  );

  test.each([
    {
      what: "an image that is missing",
      args: [
        ...["--conf", "spark.kubernetes.container.image=no/such:image"],
        // A registry that does not answer may do so the next time, which is nothing to give up for.
        ...["--conf", "spark.kubernetes.container.image.pullPolicy=Never"],
      ],
    },
    { what: "no node that is big enough", args: ["--conf", "spark.kubernetes.driver.request.cores=900"] },
  ])("$what: the same objects and the same status; ours says why, and gives up", async ({ what, args }) => {
    const waiting = "spark.kubernetes.submission.waitAppCompletion=false";
    const [theirs, ours] = await submitBoth(what, [...args, "--conf", waiting, ...pi]);
    await expectTheSame(theirs, ours);
    for (const { pod } of [theirs, ours]) {
      const [programOutput, saidByUs] = await operateBoth(["--status", `${namespace.name}:${pod}`]);
      expect(linesOf(saidByUs)).toEqual(linesOf(programOutput));
    }
    await operateBoth(["--kill", `${namespace.name}:*`]);
    const { run } = await submit(client("ours"), [...args, "--fail-fast", ...pi]);
    expect(run.exit).not.toBe(0);
    expect(run.output).toMatch(/no\/such:image|cpu/);
  });

  test("kill: the same words, and the driver goes", async () => {
    const waiting = "spark.kubernetes.submission.waitAppCompletion=false";
    const [theirs, ours] = await submitBoth("a driver to kill", ["--conf", waiting, ...pythonPi("100000")]);
    const kills = await Promise.all(
      [theirs, ours].map(({ client: { name }, pod }) =>
        operate(client(name), ["--kill", `${namespace.name}:${pod}`]),
      ),
    );
    const [programOutput, saidByUs] = kills.map((run) => linesOf(run, [theirs.pod, ours.pod]));
    expect(saidByUs).toEqual(programOutput);
    expect(kills.map(({ exit }) => exit)).toEqual([0, 0]);
  });
});

/** Images do not agree where their examples are, or have none: so a pod template mounts the script. */
function mountScript(): readonly string[] {
  const template = join(temporaryDirectory(), "template.json");
  const volumeMounts = [{ name: "script", mountPath: "/opt/script" }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    spec: {
      containers: [{ name: "driver", volumeMounts }],
      volumes: [{ name: "script", configMap: { name: "script" } }],
    },
  };
  writeFileSync(template, JSON.stringify(pod));
  return ["--conf", `spark.kubernetes.driver.podTemplateFile=${template}`];
}

function client(name: Client["name"]): Client {
  const directory = temporaryDirectory();
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: directory,
    KUBECONFIG: kubeconfig,
    SPARK_CONF_DIR: join(directory, "conf"),
    SPARK_USER: "tester",
  };
  return name === "ours"
    ? {
        name,
        file: join(root, "dist", "bin", "spark-submit.cjs"),
        env: { ...env, FIRESTEEL_SPARK_VERSION: spoken },
      }
    : { name, file: join(sparkHome, "bin", "spark-submit"), env };
}

async function submitBoth(what: string, args: readonly string[]): Promise<[Submission, Submission]> {
  const theirs = await submit(client("Apache's"), args);
  const ours = await submit(client("ours"), args);
  for (const {
    client: { name },
    run,
    driverAfterMs,
  } of [theirs, ours]) {
    const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
    const times = [driverAfterMs, run.wallMs, run.cpuMs].map(seconds);
    figures.push([what, name, String(run.exit), ...times, `${run.peakMiB.toFixed(0)} MiB`]);
  }
  return [theirs, ours];
}

async function submit(chosen: Client, args: readonly string[]): Promise<Submission> {
  const all = [
    ...["--master", namespace.master, "--deploy-mode", "cluster", "--name", "beside"],
    ...["--conf", `spark.kubernetes.namespace=${namespace.name}`],
    ...["--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark"],
    ...["--conf", "spark.executor.instances=1", "--conf", "spark.kubernetes.executor.request.cores=0.1"],
    ...["--conf", "spark.kubernetes.driver.request.cores=0.1"],
    ...(args.some((word) => word.includes("container.image"))
      ? []
      : ["--conf", `spark.kubernetes.container.image=${image}`]),
    ...args,
  ];
  let run: Promise<MeasuredRun> | undefined;
  let start = 0;
  const { pod, at } = await namespace.driverOf(() => {
    start = performance.now();
    run = measuredRun(chosen.file, all, { env: chosen.env });
  });
  if (run === undefined) throw new Error("nothing was submitted");
  return { client: chosen, run: await run, pod, driverAfterMs: at - start };
}

async function operateBoth(args: readonly string[]): Promise<readonly [MeasuredRun, MeasuredRun]> {
  return [await operate(client("Apache's"), args), await operate(client("ours"), args)];
}

function operate({ file, env }: Client, args: readonly string[]): Promise<MeasuredRun> {
  return measuredRun(file, ["--master", namespace.master, ...args], { env });
}

async function expectTheSame(theirs: Submission, ours: Submission): Promise<void> {
  const [expected, actual] = await Promise.all([comparable(theirs), comparable(ours)]);
  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
  expect(toolLines(ours)).toEqual(toolLines(theirs));
}

async function comparable({ pod }: Submission): Promise<ReadonlyMap<string, unknown>> {
  const objects = await namespace.objectsOf(pod);
  const scrub = scrubber({
    dir: "/nowhere",
    port: "0",
    names: [pod, ...objects.map(({ metadata }) => metadata.name ?? "")],
  });
  return comparableObjects(objects, (text) => scrub(text).replace(/kube-api-access-\w+/g, "kube-api-access"));
}

/** The lines that tools look for, in the words that both should have. */
function toolLines({ run, pod }: Submission): readonly string[] {
  const wanted =
    /pod name: |spark-app-selector -> |exit code: |submission ID |container name: |service account name: /;
  const scrub = scrubber({ dir: "/nowhere", port: "0", names: [pod] });
  const lines = sortLists(scrub(run.output))
    .replace(/kube-api-access-\w+/g, "")
    .split("\n");
  return [...new Set(lines.filter((line) => wanted.test(line)).map(withoutPrefix))].sort();
}

function linesOf({ output }: MeasuredRun, names: readonly string[] = []): readonly string[] {
  const plain = names.reduce((text, name) => text.replaceAll(name, "DRIVER"), sortLists(output));
  return (
    plain
      .split("\n")
      .map(withoutPrefix)
      // The kubelet goes to and fro between the two while it tries again.
      .map((line) => line.replace("ErrImagePull", "ImagePullBackOff"))
      // A JVM on a busy machine complains of its own slowness.
      .filter(
        (line) => !/^WARN|^Setting |^To adjust|^Using Spark's default log4j|^io\.vertx\.|^\tat /.test(line),
      )
  );
}

/** Without the time, which differs. */
function withoutPrefix(line: string): string {
  return line.replace(/^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d /, "");
}
