/**
 * Measures time, processor time and memory of a submission, beside bare Node and, if SPARK_HOME is set, Apache's spark-submit.
 *
 *     npm run bench [-- --rounds 21] [--apache-rounds 3] [--submissions 1000] [--json]
 *
 * Each round runs all rows. A ratio is the median of the ratios to bare Node in the same round, so that a busy machine slows both.
 */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nodeHost } from "../src/host/node-host.ts";
import { createAuthority, createServerCertificate } from "../src/local-cluster/certificates/certificate.ts";
import { startApiServer } from "./bench/api-server.ts";
import { manySubmissions, type Rates } from "./bench/many.ts";
import { describeMachine, numberTable, peakMemoryWhileWaiting } from "./bench/measure.ts";
import { measureRows, type Result, type Row } from "./bench/measure-rows.ts";
import { layOutWheel } from "./bench/wheel-prefix.ts";
import { benchCluster } from "./bench-cluster.ts";
import { benchGateway } from "./bench-gateway.ts";
import { soakGateway } from "./bench-gateway-soak.ts";
import { benchShuffle } from "./bench-shuffle.ts";
import { benchSparkStart } from "./bench-spark-start.ts";
import { benchStaging } from "./bench-staging.ts";
import { benchStartUp } from "./bench-start-up.ts";

const program = resolve("dist/bin/spark-submit.cjs");

if (process.argv.includes("--serve")) await serve();
else if (process.argv[2] === "cluster") await benchCluster(process.argv.slice(3));
else if (process.argv[2] === "gateway") await benchGateway(process.argv.slice(3));
else if (process.argv[2] === "gateway-soak") await soakGateway(process.argv.slice(3));
else if (process.argv[2] === "shuffle") await benchShuffle(process.argv.slice(3));
else if (process.argv[2] === "spark-start") await benchSparkStart(process.argv.slice(3));
else if (process.argv[2] === "start-up") await benchStartUp(process.argv.slice(3));
else if (process.argv[2] === "staging") await benchStaging(process.argv.slice(3));
else await bench();

/** Runs the API server, in a process of its own. */
async function serve(): Promise<void> {
  process.on("disconnect", () => process.exit());
  process.on("message", async (keys: { cert: string; key: string }) => {
    process.send?.(await startApiServer(keys));
  });
}

async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "21" },
      "apache-rounds": { type: "string", default: "3" },
      submissions: { type: "string", default: "1000" },
      json: { type: "boolean", default: false },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  const authority = createAuthority(nodeHost(), "bench authority");
  const names = ["127.0.0.1"];
  const { certificatePem: cert, privateKeyPem: key } = createServerCertificate(nodeHost(), {
    authority,
    name: "bench",
    names,
  });
  const server = fork(fileURLToPath(import.meta.url), ["--serve"]);
  try {
    const port = await portOf(server, { cert, key });
    const kubeconfig = join(directory, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigFor(port, authority.certificatePem));
    const env = environment(directory, kubeconfig);
    const args = submissionArgs(port);
    const results = await measureRows(
      rowsFor(env, args, layOutWheel(join(directory, "wheel"))),
      Number(values.rounds),
      Number(values["apache-rounds"]),
    );
    const report = {
      machine: describeMachine(),
      results,
      waitingKiB: await waitingMemory(env, args),
      many: await manySubmissions({
        env,
        args,
        authority: authority.certificatePem,
        directory,
        count: values.submissions,
      }),
    };
    process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : print(report));
  } finally {
    server.disconnect();
    rmSync(directory, { recursive: true });
  }
}

function portOf(server: ChildProcess, keys: { cert: string; key: string }): Promise<number> {
  return new Promise((resolvePort, reject) => {
    server.once("error", reject);
    server.once("message", (port) => resolvePort(Number(port)));
    server.send(keys);
  });
}

function kubeconfigFor(port: number, authority: string): string {
  return `apiVersion: v1
kind: Config
current-context: bench
contexts:
- name: bench
  context:
    cluster: bench
    user: bench
clusters:
- name: bench
  cluster:
    server: https://127.0.0.1:${port}
    certificate-authority-data: ${Buffer.from(authority).toString("base64")}
users:
- name: bench
  user:
    token: bench
`;
}

/** Passes only the variables that a submission needs: NODE_EXTRA_CA_CERTS alone costs Node 20 about 30 ms. */
function environment(directory: string, kubeconfig: string): Record<string, string> {
  const path = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  const javaHome = process.env["JAVA_HOME"];
  return {
    PATH: path,
    HOME: directory,
    KUBECONFIG: kubeconfig,
    ...(javaHome === undefined ? {} : { JAVA_HOME: javaHome }),
  };
}

function submissionArgs(port: number): readonly string[] {
  return [
    ...["--master", `k8s://https://127.0.0.1:${port}`, "--deploy-mode", "cluster", "--name", "bench"],
    ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false"],
    ...["--class", "org.example.Main", "local:///opt/app/app.jar", "1000"],
  ];
}

/** Measures the peak memory (KiB) of a submission that waits for a driver without events. */
function waitingMemory(env: Record<string, string>, submission: readonly string[]): Promise<number> {
  const args = submission.map((argument) => argument.replace("waitAppCompletion=false", "waitAppCompletion=true"));
  return peakMemoryWhileWaiting({ file: program, args, env, exit: 0 }, "Waiting for application");
}

function rowsFor(env: Record<string, string>, submission: readonly string[], wheel: string): readonly Row[] {
  const row = (name: string, file: string, args: readonly string[], exit = 0, more: object = {}): Row => ({
    name,
    command: { file, args, env: { ...env, ...more }, exit },
    isApache: false,
  });
  const home = process.env["SPARK_HOME"];
  const apache = home === undefined ? undefined : join(home, "bin", "spark-submit");
  return [
    row("node -e 0", process.execPath, ["-e", "0"]),
    row("--version", program, ["--version"]),
    row("--help", program, ["--help"]),
    row("unknown option", program, ["--blarg"], 1),
    row("rejected submission", program, ["--master", "local", "--deploy-mode", "cluster", "app.jar"], 1),
    row("pyspark --help", resolve("dist/bin/pyspark.cjs"), ["--help"]),
    row("submission, not waiting", program, submission),
    row("the same from the Python package", wheel, submission),
    row("the same with FIRESTEEL_CODE_CACHE=off", program, submission, 0, { FIRESTEEL_CODE_CACHE: "off" }),
    ...(apache === undefined || !existsSync(apache)
      ? []
      : [{ ...row("the same with Apache's spark-submit", apache, submission), isApache: true }]),
  ];
}

interface Report {
  readonly machine: string;
  readonly results: readonly Result[];
  /** Peak memory of a client that waits. */
  readonly waitingKiB: number;
  readonly many: Rates;
}

function print({ machine, results, waitingKiB, many }: Report): string {
  const number = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "?";
  const cells = results.map(({ name, ms, timeRatio, cpuMs, cpuRatio, peakMemoryKiB, memoryRatio }) => [
    name,
    ...[number(ms, 1), number(timeRatio, 2), number(cpuMs, 1), number(cpuRatio, 2)],
    ...[number(peakMemoryKiB === undefined ? undefined : peakMemoryKiB / 1024, 1), number(memoryRatio, 2)],
  ]);
  const head = ["", "ms", "× bare", "cpu ms", "× bare", "MiB", "× bare"];
  return [
    machine,
    "",
    ...numberTable(head, cells),
    "",
    `a waiting client: ${number(waitingKiB / 1024, 1)} MiB`,
    "",
    `submissions from one process: ${number(many.submissionsPerSecond, 0)} per second, ${number(many.submissionCpuMs, 1)} ms of processor time each`,
    `their requests: ${number(many.requestsPerSecond, 0)} per second; bare node:https requests: ${number(many.bareRequestsPerSecond, 0)}`,
    `peak memory of that process: ${number(many.peakMemoryKiB / 1024, 1)} MiB`,
    "",
    ...results
      .filter(({ modules }) => modules.length > 0)
      .flatMap(({ name, modules, parts }) => [
        `${name} loads ${modules.join(", ")}`,
        `and of Firesteel ${Object.entries(parts)
          .map(([part, size]) => `${part} ${number(size / 1000, 1)} kB`)
          .join(", ")}`,
      ]),
    "",
  ].join("\n");
}
