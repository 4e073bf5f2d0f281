import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root, run, temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { testWith } from "../test-with.ts";
import { fetchConnectClient, connectJob as job, runConnectClient } from "./connect-client.ts";

const spark = sparkOf("4.3");
const client = fetchConnectClient();
const cluster = sparkCluster();

/** A running `connect start`. */
interface Server {
  /** Resolves with the URL. */
  readonly url: Promise<string>;
  readonly exited: Promise<{ readonly code: number | null; readonly stderr: string }>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function start(...args: readonly string[]): Server {
  const program = join(root, "dist", "bin", "firesteel.cjs");
  const settings = ["--port", "0", "--conf", "spark.executor.instances=1", ...args];
  const env = { ...process.env, ...cluster.env() };
  const child = spawn(program, ["connect", "start", "--master", "k8s://embedded", ...settings], { env });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return {
    url: new Promise((resolve, reject) => {
      child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
      child.once("exit", () => reject(new Error(stderr)));
    }),
    exited: new Promise((resolve) => child.once("exit", (code) => resolve({ code, stderr }))),
    kill: (signal) => child.kill(signal),
  };
}

/** Returns the servers in a state. */
async function servers(state: string): Promise<readonly { readonly submissionId: string }[]> {
  const { stdout } = await cluster.firesteel("connect", "list", "--json", "--master", "k8s://embedded");
  const listed: { readonly servers: readonly { readonly state: string; readonly submissionId: string }[] } =
    JSON.parse(stdout);
  return listed.servers.filter((server) => server.state === state);
}

const test = testWith("missing" in spark ? spark : client);

test("PySpark runs a job with executors and a Python UDF, and the server ends when it is idle", async () => {
  const server = start("--idle-timeout", "15s");
  const url = await server.url;
  expect(url).toMatch(/^sc:\/\/127\.0\.0\.1:\d+$/);
  expect(runConnectClient(job, url).trim().split("\n")).toEqual(["[Row(sum(id)=499500)]", "[Row(sum(x)=55)]"]);
  const { code, stderr } = await server.exited;
  expect(stderr).toContain("The server has ended: no client used it for 15 s.");
  expect(code).toBe(0);
  expect(await servers("succeeded")).toHaveLength(1);
});

test("a server whose forwarding process is killed is reachable again, and ends when it is stopped", async () => {
  const server = start("--name", "kept");
  await server.url;
  server.kill("SIGKILL");
  await server.exited;
  const [running] = await servers("running");
  const id = running?.submissionId ?? "";
  expect(id).toContain("kept");
  const forwarding = spawn(
    join(root, "dist", "bin", "firesteel.cjs"),
    ["connect", "forward", id, "--port", "0", "--master", "k8s://embedded"],
    { env: { ...process.env, ...cluster.env() } },
  );
  const url = await new Promise<string>((resolve) => {
    forwarding.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
  });
  const ended = new Promise((resolve) => forwarding.once("exit", resolve));
  expect(runConnectClient(job, url)).toContain("Row(sum(id)=499500)");
  const stopped = await cluster.firesteel("connect", "stop", id, "--master", "k8s://embedded");
  expect(stopped).toMatchObject({ exit: 0, stdout: `${id} stopped\n` });
  expect(await ended).toBe(0);
});

const spark35 = sparkOf("3.5");
testWith("missing" in spark35 ? spark35 : client)(
  "PySpark 3.5 runs a job on a server of Spark 3.5, whose package is a dependency",
  async () => {
    const { home } = available(spark35);
    const lib = join(home, "python", "lib");
    const py4j = readdirSync(lib).find((name) => name.startsWith("py4j-")) ?? "";
    const options = ["--idle-timeout", "15s", "--packages", "org.apache.spark:spark-connect_2.12:3.5.7"];
    const server = start(...options, "--conf", "spark.firesteel.sparkVersion=3.5");
    const output = runConnectClient(job, await server.url, [join(home, "python"), join(lib, py4j)].join(delimiter));
    expect(output.trim().split("\n")).toEqual(["[Row(sum(id)=499500)]", "[Row(sum(x)=55)]"]);
    const { code, stderr } = await server.exited;
    expect(stderr).toContain("Added 2 jars for org.apache.spark:spark-connect_2.12:3.5.7");
    expect(code).toBe(0);
  },
);

test("a server runs on the embedded cluster if only the kubeconfig names it", async () => {
  const options = ["connect", "start", "--detach", "--port", "0", "--idle-timeout", "5m", "--name", "by-kubeconfig"];
  const { exit, stdout, stderr } = await run("firesteel", options, { env: cluster.env() });
  expect(exit, stderr).toBe(0);
  expect(runConnectClient(job, stdout.trim())).toContain("Row(sum(x)=55)");
  expect((await cluster.firesteel("connect", "stop", "by-kubeconfig")).exit).toBe(0);
});

test("a detached server is used through the URL that the command prints", async () => {
  const { exit, stdout, stderr } = await run(
    "firesteel",
    ["connect", "start", "--detach", "--port", "0", "--master", "k8s://embedded", "--idle-timeout", "5m"],
    { env: cluster.env() },
  );
  expect(exit, stderr).toBe(0);
  expect(runConnectClient(job, stdout.trim())).toContain("Row(sum(x)=55)");
  await cluster.firesteel("connect", "stop", "--all", "--master", "k8s://embedded");
  expect(await servers("running")).toEqual([]);
});

test("a server that cannot start ends the command with the reason", async () => {
  const server = start("--conf", "spark.serializer=org.example.Missing", "--name", "broken");
  server.url.catch(() => {});
  const { code, stderr } = await server.exited;
  expect(code).toBe(1);
  expect(stderr).toContain("Error: The driver broken-");
});

test("shells run their code on executors", async () => {
  const statement = ["shell", "sql", "-S", "-e", "SELECT sum(id) FROM range(100)"];
  const options = ["--master", "k8s://embedded", "--conf", "spark.executor.instances=1"];
  const cwd = temporaryDirectory();
  const { exit, stdout, stderr } = await run("firesteel", [...statement, ...options], { env: cluster.env(), cwd });
  expect(exit, stderr.slice(-2000)).toBe(0);
  expect(stdout.trim()).toBe("4950");
});
