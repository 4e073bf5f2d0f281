import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildJavaExample } from "../../src/cli/commands/demo/java-pi.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { comparableObjects, scrubber, sortLists } from "../golden/normalize.ts";
import { type MeasuredRun, measuredRun } from "./measured-run.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const image = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
const sparkHome = process.env["SPARK_HOME"] ?? "";
const targetVersion = process.env["FIRESTEEL_SPARK_VERSION"] ?? "4.3.0";

/** A client and its environment. */
interface Client {
  readonly name: "Apache's" | "Firesteel's";
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Result of a submission with one client. */
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
  const spark = { version: targetVersion, home: sparkHome };
  const source = join(root, "examples", "java-pi", "JavaPi.java");
  const { directory, jar } = await buildJavaExample(nodeHost(), { source, spark, javaHome: undefined });
  await namespace.createFiles([join(sparkHome, "examples", "src", "main", "python", "pi.py"), join(directory, jar)]);
});

afterAll(async () => {
  await namespace?.remove();
  console.log(figures.map((row) => row.map((cell, at) => cell.padEnd(at === 0 ? 28 : 16)).join("")).join("\n"));
});

describe("compared with Apache's client on the same cluster", () => {
  const jar = "local:///opt/files/java-pi.jar";
  const pi = () => [...mountFiles(), "--class", "JavaPi", jar, "2"];
  const pythonPi = (slices: string) => [...mountFiles(), "local:///opt/files/pi.py", slices];
  const jarless = () => [...mountFiles(), "--class", "org.example.Nowhere", jar];

  test.each([
    { what: "Pi in Java", args: pi, exit: 0 },
    { what: "Pi in Python", args: () => pythonPi("2"), exit: 0 },
    { what: "a class that is missing", args: jarless, exit: 101 },
  ])("$what: the same objects and output, and the driver's exit code", async ({ what, args, exit }) => {
    const [apache, firesteel] = await submitBoth(what, args());
    expect(apache.run.exit).toBe(0);
    expect(firesteel.run.exit).toBe(exit);
    await expectTheSame(apache, firesteel);
  });

  test.each([
    {
      what: "an image that is missing",
      args: [
        ...["--conf", "spark.kubernetes.container.image=no/such:image"],
        // A failed pull may succeed later, so --fail-fast does not stop for it. Never pulling fails permanently.
        ...["--conf", "spark.kubernetes.container.image.pullPolicy=Never"],
      ],
    },
    { what: "no node that is big enough", args: ["--conf", "spark.kubernetes.driver.request.cores=900"] },
  ])(
    "$what: the same objects and status; Firesteel reports the reason and terminates the driver",
    async ({ what, args }) => {
      const waiting = "spark.kubernetes.submission.waitAppCompletion=false";
      const [apache, firesteel] = await submitBoth(what, [...args, "--conf", waiting, ...pi()]);
      await expectTheSame(apache, firesteel);
      for (const { pod } of [apache, firesteel]) {
        const [programOutput, firesteelOutput] = await operateBoth(["--status", `${namespace.name}:${pod}`]);
        expect(linesOf(firesteelOutput)).toEqual(linesOf(programOutput));
      }
      await operateBoth(["--kill", `${namespace.name}:*`]);
      const { run } = await submit(client("Firesteel's"), [...args, "--fail-fast", ...pi()]);
      expect(run.exit).not.toBe(0);
      expect(run.output).toMatch(/no\/such:image|cpu/);
    },
  );

  test("kill: the same output, and the driver is deleted", async () => {
    const waiting = "spark.kubernetes.submission.waitAppCompletion=false";
    const [apache, firesteel] = await submitBoth("a driver to kill", ["--conf", waiting, ...pythonPi("100000")]);
    const kills = await Promise.all(
      [apache, firesteel].map(({ client: { name }, pod }) =>
        operate(client(name), ["--kill", `${namespace.name}:${pod}`]),
      ),
    );
    const [programOutput, firesteelOutput] = kills.map((run) => linesOf(run, [apache.pod, firesteel.pod]));
    expect(firesteelOutput).toEqual(programOutput);
    expect(kills.map(({ exit }) => exit)).toEqual([0, 0]);
  });
});

/** Mounts the applications by pod templates, because images have their examples in different places or not at all. */
function mountFiles(): readonly string[] {
  const template = join(temporaryDirectory(), "template.json");
  const volumeMounts = [{ name: "files", mountPath: "/opt/files" }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    spec: {
      containers: [{ volumeMounts }],
      volumes: [{ name: "files", configMap: { name: "files" } }],
    },
  };
  writeFileSync(template, JSON.stringify(pod));
  return ["driver", "executor"].flatMap((role) => ["--conf", `spark.kubernetes.${role}.podTemplateFile=${template}`]);
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
  return name === "Firesteel's"
    ? {
        name,
        file: join(root, "dist", "bin", "spark-submit.cjs"),
        env: { ...env, FIRESTEEL_SPARK_VERSION: targetVersion },
      }
    : { name, file: join(sparkHome, "bin", "spark-submit"), env };
}

async function submitBoth(what: string, args: readonly string[]): Promise<[Submission, Submission]> {
  const apache = await submit(client("Apache's"), args);
  const firesteel = await submit(client("Firesteel's"), args);
  for (const {
    client: { name },
    run,
    driverAfterMs,
  } of [apache, firesteel]) {
    const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
    const times = [driverAfterMs, run.wallMs, run.cpuMs].map(seconds);
    figures.push([what, name, String(run.exit), ...times, `${run.peakMiB.toFixed(0)} MiB`]);
  }
  return [apache, firesteel];
}

async function submit(chosen: Client, args: readonly string[]): Promise<Submission> {
  const all = [
    ...["--master", namespace.master, "--deploy-mode", "cluster", "--name", "beside"],
    ...["--conf", `spark.kubernetes.namespace=${namespace.name}`],
    ...["--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark"],
    ...["--conf", "spark.executor.instances=1", "--conf", "spark.kubernetes.executor.request.cores=0.1"],
    ...["--conf", "spark.kubernetes.driver.request.cores=0.1"],
    ...(args.some((arg) => arg.includes("container.image"))
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
  return [await operate(client("Apache's"), args), await operate(client("Firesteel's"), args)];
}

function operate({ file, env }: Client, args: readonly string[]): Promise<MeasuredRun> {
  return measuredRun(file, ["--master", namespace.master, ...args], { env });
}

async function expectTheSame(apache: Submission, firesteel: Submission): Promise<void> {
  const [expected, actual] = await Promise.all([comparable(apache), comparable(firesteel)]);
  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
  expect(toolLines(firesteel)).toEqual(toolLines(apache));
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

/** Returns the lines that tools parse, which both clients must print. */
function toolLines({ run, pod }: Submission): readonly string[] {
  const parsedLinePattern =
    /pod name: |spark-app-selector -> |exit code: |submission ID |container name: |service account name: /;
  const scrub = scrubber({ dir: "/nowhere", port: "0", names: [pod] });
  const lines = sortLists(scrub(run.output))
    .replace(/kube-api-access-\w+/g, "")
    .split("\n");
  return [...new Set(lines.filter((line) => parsedLinePattern.test(line)).map(withoutPrefix))].sort();
}

function linesOf({ output }: MeasuredRun, names: readonly string[] = []): readonly string[] {
  const plain = names.reduce((text, name) => text.replaceAll(name, "DRIVER"), sortLists(output));
  return (
    plain
      .split("\n")
      .map(withoutPrefix)
      // The kubelet alternates between the two while it retries.
      .map((line) => line.replace("ErrImagePull", "ImagePullBackOff"))
      // A JVM on a busy machine warns about its own slowness.
      .filter((line) => !/^WARN|^Setting |^To adjust|^Using Spark's default log4j|^io\.vertx\.|^\tat /.test(line))
  );
}

/** Removes the time, which differs. */
function withoutPrefix(line: string): string {
  return line.replace(/^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d /, "");
}
