import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, withSpark } from "../acceptance/programs.ts";
import { mergedOutput } from "../merged-output.ts";
import { describeWith } from "../test-with.ts";
import { livyClients } from "./install-livy-clients.ts";

const programs = "missing" in livyClients ? undefined : join(livyClients.directory, "bin");
const directory = mkdtempSync(join(tmpdir(), "firesteel-livy-"));
let gateway: ChildProcess;
let url = "";

describeWith(livyClients)("clients of Livy", { timeout: 600_000 }, () => {
  beforeAll(async () => {
    const arguments_ = ["--port", "0", "--cluster", "embedded", "--conf", "spark.kubernetes.container.image=spark"];
    gateway = spawn(process.execPath, [join(root, "dist/bin/firesteel.cjs"), "gateway", ...arguments_], {
      ...{ cwd: directory, stdio: ["ignore", "ignore", "pipe"] },
      env: { ...process.env, ...withSpark({ FIRESTEEL_STATE: join(directory, "state"), HOME: directory }) },
    });
    let printed = "";
    for await (const chunk of gateway.stderr ?? []) {
      printed += chunk;
      url = /Gateway started on (\S+)/.exec(printed)?.[1] ?? "";
      if (url !== "") break;
    }
    if (url === "") throw new Error(printed);
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => gateway.once("close", resolve));
    gateway.kill("SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });

  test("pylivy, livyclient and Airflow's hook submit, poll, list, read logs and delete", async () => {
    const { exit, output } = await python("python", [join(root, "test/peers/livy_clients.py"), url]);
    expect(exit, output).toBe(0);
    expect(JSON.parse(/^\{"pylivy".*$/m.exec(output)?.[0] ?? "")).toEqual({
      pylivy: {
        ...{ version: "Version(0.9.0-incubating)", isLegacy: false, state: "success", isListed: true, afterKill: null },
        printed: [expect.stringMatching(/^Pi is roughly 3/)],
      },
      livyclient: {
        ...{ state: "success", appId: expect.stringMatching(/^spark-[0-9a-f]{32}$/), isListed: true, logLines: 10 },
      },
      airflowKill: { deleted: { msg: "deleted" }, after: expect.stringMatching(/Session '\d+' not found/) },
    });
  });

  test("Airflow's LivyOperator waits, defers and reports a failed batch with its log", async () => {
    const dags = join(directory, "airflow", "dags");
    mkdirSync(dags, { recursive: true });
    copyFileSync(join(root, "test/peers/livy_dag.py"), join(dags, "livy_dag.py"));
    const migrated = await python("airflow", ["db", "migrate"]);
    expect(migrated.exit, migrated.output).toBe(0);
    const { output } = await python("airflow", ["dags", "test", "livy_batches"]);
    expect(output.match(/terminated with state: (success|dead)/g)).toEqual([
      "terminated with state: success",
      "terminated with state: success",
      "terminated with state: dead",
    ]);
    expect(output).toMatch(/LivyTrigger/);
    expect(output.match(/Pi is roughly 3/g)?.length).toBeGreaterThan(1);
    expect(output).toContain("The script /no-such-script.py is not in the image of the driver.");
    expect(output).toContain("did not succeed");
  });
});

/** Runs a program of the clients' Python environment, with Airflow's files in the test's directory. */
async function python(program: string, args: readonly string[]) {
  const { hostname, port } = new URL(url);
  const connection = { conn_type: "livy", host: `http://${hostname}`, port: Number(port) };
  const child = spawn(join(programs ?? "", program), args, {
    ...{ cwd: directory, stdio: ["ignore", "pipe", "pipe"] },
    env: {
      PATH: [programs, process.env["PATH"]].join(":"),
      HOME: directory,
      AIRFLOW_HOME: join(directory, "airflow"),
      AIRFLOW__CORE__LOAD_EXAMPLES: "False",
      AIRFLOW_CONN_LIVY_GATEWAY: JSON.stringify(connection),
    },
  });
  return mergedOutput(child).ended;
}
