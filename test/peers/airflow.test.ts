import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root, run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { airflowEnv, airflowPrograms, installAirflow } from "./install-airflow.ts";
import { installWheel } from "./install-wheel.ts";

interface Drive {
  readonly driverPod: string | null;
  readonly applicationId: string | null;
  readonly exitCode: number | null;
  readonly error?: string;
  readonly phase?: string;
}

type Scenario = "runsToTheEnd" | "fails" | "isPolled" | "isKilled";

beforeAll(installAirflow, 900_000);

describe("Airflow's SparkSubmitHook", () => {
  test("submits, polls, fails and kills with the spark-submit of the Python package as with Apache's", async () => {
    const directory = temporaryDirectory();
    const env = withSpark({ FIRESTEEL_STATE: join(directory, "state"), HOME: directory });
    onTestFinished(async () => {
      await run("firesteel", ["cluster", "stop"], { env });
    });
    const started = await run("firesteel", ["cluster", "start", "--json"], { env });
    expect(started).toMatchObject({ exit: 0 });
    const { url, kubeconfig } = parse<{ url: string; kubeconfig: string }>(started.stdout);
    const drives = await drive(directory, url, { ...env, KUBECONFIG: kubeconfig });

    const names = {
      driverPod: expect.stringMatching(/^airflow-pi-[0-9a-f]+-driver$/),
      applicationId: expect.stringMatching(/^spark-[0-9a-f]{32}$/),
    };
    expect(drives.runsToTheEnd).toEqual({ ...names, exitCode: 0 });
    expect(drives.fails).toEqual({
      ...names,
      exitCode: 2,
      error: expect.stringContaining("Error code is: 2. Kubernetes spark exit code is: 2"),
    });
    expect(drives.isPolled).toEqual({ ...names, applicationId: null, exitCode: null, phase: "Succeeded" });
    expect(drives.isKilled).toMatchObject({ ...names, exitCode: null });
    const left = await run("firesteel", ["status", "spark:*"], { env: { ...env, KUBECONFIG: kubeconfig } });
    expect(left.stdout + left.stderr).not.toContain(drives.isKilled.driverPod ?? "?");
  });
});

/** Runs all scenarios in one process, because Airflow starts slowly. */
async function drive(
  directory: string,
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<Scenario, Drive>>> {
  const programs = installWheel(join(directory, "programs"));
  const { protocol, hostname, port } = new URL(url);
  const connection = {
    conn_type: "spark",
    host: `k8s://${protocol}//${hostname}`,
    port: Number(port),
    extra: { "deploy-mode": "cluster", namespace: "spark" },
  };
  const child = spawn(join(airflowPrograms, "python"), [join(root, "test/peers/airflow_hook.py")], {
    cwd: directory,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...env,
      PATH: [programs, process.env["PATH"]].join(":"),
      ...airflowEnv(join(directory, "airflow"), env["KUBECONFIG"] ?? ""),
      AIRFLOW_CONN_SPARK_EMBEDDED: JSON.stringify(connection),
    },
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let printed = "";
  for await (const chunk of child.stdout) printed += chunk;
  const last = printed.trimEnd().split("\n").at(-1) ?? "";
  return parse(last);
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}
