import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Outcome, root, run, start } from "./programs.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-applications-"));
const env = { FIRESTEEL_STATE: join(directory, "state"), XDG_CONFIG_HOME: join(directory, "config") };

/** Runs `firesteel` until it exits, with a cluster of its own whose containers are simulated. */
function firesteel(...args: string[]): Promise<Outcome> {
  return run("firesteel", args, { env });
}

function cluster(...args: string[]) {
  const program = join(root, "dist", "bin", "firesteel.cjs");
  return spawnSync(process.execPath, [program, "cluster", ...args], { env: { ...process.env, ...env } });
}

beforeAll(() => {
  expect(cluster("start", "--sandbox", "fake").status).toBe(0);
});

afterAll(() => {
  cluster("stop");
  rmSync(directory, { recursive: true, force: true });
});

interface ApplicationFile {
  readonly name: string;
  /** Behavior of the simulated driver, e.g. `exit=0`. */
  readonly driver?: string;
  readonly spec?: readonly string[];
}

function write(name: string, lines: readonly string[]): string {
  const path = join(directory, `${name}.yaml`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

function applicationFile({ name, driver = "exit=0", spec = [] }: ApplicationFile): string {
  return write(name, [
    "apiVersion: sparkoperator.k8s.io/v1beta2",
    "kind: SparkApplication",
    `metadata: {name: ${name}, namespace: default}`,
    "spec:",
    "  type: Scala",
    "  sparkVersion: 4.3.0",
    "  image: spark:4.3.0",
    "  mainClass: Main",
    "  mainApplicationFile: local:///a.jar",
    `  driver: {serviceAccount: spark, annotations: {firesteel.dev/fake: "${driver}"}}`,
    ...(spec.some((line) => line.startsWith("  executor:")) ? [] : ["  executor: {}"]),
    ...spec,
  ]);
}

const onCluster = ["--cluster", "embedded"] as const;

describe("firesteel apply", () => {
  test("submits a SparkApplication once, and again with its changes", async () => {
    const file = applicationFile({ name: "once" });
    const created = await firesteel("apply", "-f", file, ...onCluster, "--wait", "--json");
    expect([created.exit, JSON.parse(created.stdout)]).toEqual([
      0,
      { application: "once", action: "created", driver: "default:once-driver" },
    ]);
    const unchanged = await firesteel("apply", "-f", file, ...onCluster);
    expect(unchanged.stdout).toContain("once unchanged: driver default:once-driver is Succeeded");
    expect(unchanged.stderr).toContain(`To run it again, first run: firesteel delete -f ${file}`);
    expect(await firesteel("diff", "-f", file, ...onCluster)).toMatchObject({ exit: 0, stdout: "" });

    const changed = applicationFile({ name: "once", spec: ["  executor: {cores: 3}"] });
    const difference = await firesteel("diff", "-f", changed, ...onCluster);
    expect(difference.exit).toBe(1);
    expect(difference.stdout).toContain("[spark.executor.cores]: 1 → 3");
    const replaced = await firesteel("apply", "-f", changed, ...onCluster, "--wait");
    expect(replaced.stdout).toContain("[spark.executor.cores]: 1 → 3");
    expect(replaced.stdout).toMatch(/once changed\n.*once created\n/s);

    expect(await firesteel("delete", "-f", file, ...onCluster)).toMatchObject({
      exit: 0,
      stdout: `${file}: once deleted\n`,
    });
    expect(await firesteel("delete", "-f", file, ...onCluster)).toMatchObject({
      exit: 1,
      stdout: `${file}: once not found\n`,
    });
    expect((await firesteel("delete", "-f", file, ...onCluster, "--ignore-not-found")).exit).toBe(0);
  });

  test("repeats failed runs with --watch as the restart policy says, and exits with the driver's exit code", async () => {
    const spec = ["  restartPolicy: {type: OnFailure, onFailureRetries: 1, onFailureRetryInterval: 1}"];
    const file = applicationFile({ name: "fails", driver: "exit=3", spec });
    const { exit, stdout, stderr } = await firesteel("apply", "-f", file, ...onCluster, "--watch");
    expect(exit).toBe(3);
    expect(stderr.match(/^fails is \w+, attempt \d/gm)).toEqual([
      "fails is SUBMITTED, attempt 1",
      "fails is FAILING, attempt 1",
      expect.stringMatching(/^fails is (FAILING|PENDING_RERUN), attempt 1$/),
      expect.any(String),
      "fails is FAILING, attempt 2",
      "fails is FAILED, attempt 2",
    ]);
    expect(stderr).toContain("driver container failed with ExitCode: 3, Reason: Error");
    expect(stdout).toContain("fails failed\n");
  });

  test("does not repeat a submission with an invalid setting, and reports why it failed", async () => {
    const spec = [
      "  restartPolicy: {type: OnFailure, onSubmissionFailureRetries: 1, onSubmissionFailureRetryInterval: 1}",
      "  sparkConf: {spark.driver.memoryOverhead: much}",
    ];
    const { exit, stderr } = await firesteel(
      "apply",
      "-f",
      applicationFile({ name: "wrong", spec }),
      ...onCluster,
      "--watch",
    );
    expect(exit).toBe(1);
    expect(stderr).toContain("spark.driver.memoryOverhead");
    expect(stderr).not.toContain("attempt 2");
  });

  test("deletes the driver of a suspended application", async () => {
    const running = applicationFile({ name: "paused", driver: "" });
    expect((await firesteel("apply", "-f", running, ...onCluster)).exit).toBe(0);
    const suspended = applicationFile({ name: "paused", driver: "", spec: ["  suspend: true"] });
    expect((await firesteel("apply", "-f", suspended, ...onCluster)).stdout).toContain("paused suspended\n");
    expect((await firesteel("delete", "-f", running, ...onCluster)).exit).toBe(1);
  });

  test("submits an application in the own format, with a profile and values that need no quotes", async () => {
    mkdirSync(join(directory, "config", "firesteel"), { recursive: true });
    const profiles =
      "profiles: {small: {spark.kubernetes.container.image: 'spark:4.3.0', spark.executor.instances: 9}}";
    writeFileSync(join(directory, "config", "firesteel", "firesteel.yaml"), profiles);
    const file = write("own", [
      "name: own",
      "app: local:///job.py",
      "profile: small",
      "args: [1, true, text]",
      "conf:",
      "  spark.executor.instances: 2",
      "  spark.ui.enabled: false",
      "  spark.kubernetes.driver.annotation.firesteel.dev/fake: exit=0",
    ]);
    const { exit, stdout } = await firesteel("apply", "-f", file, ...onCluster, "--wait");
    expect([exit, stdout]).toEqual([0, `${file}: own created\n`]);
    expect(await firesteel("diff", "-f", file, ...onCluster)).toMatchObject({ exit: 0, stdout: "" });
    expect((await firesteel("delete", "-f", file, ...onCluster)).exit).toBe(0);
  });

  test("neither replaces nor deletes a driver of another submission (SUBMIT_ERR_MANIFEST_DRIVER_CONFLICT)", async () => {
    const file = applicationFile({ name: "taken" });
    const submission = [
      ...["--master", "k8s://embedded", "--deploy-mode", "cluster", "--class", "Main"],
      ...[
        "--conf",
        "spark.kubernetes.container.image=spark:4.3.0",
        "--conf",
        "spark.kubernetes.driver.pod.name=taken-driver",
      ],
      ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///a.jar"],
    ];
    expect((await firesteel("submit", ...submission)).exit).toBe(0);
    const { exit, stderr } = await firesteel("apply", "-f", file, ...onCluster);
    expect(exit).toBe(1);
    expect(stderr).toContain(
      "the driver default:taken-driver exists, but firesteel apply did not create it for taken.",
    );
    const deleted = await firesteel("delete", "-f", file, ...onCluster);
    expect([deleted.exit, deleted.stderr.includes("exists, but firesteel apply did not create it")]).toEqual([1, true]);
    expect((await firesteel("status", "default:taken-driver", "--master", "k8s://embedded")).exit).toBe(0);

    const other = applicationFile({ name: "beside", driver: "exit=4" });
    const both = await firesteel("apply", "-f", file, "-f", other, ...onCluster, "--wait");
    expect(both.exit).toBe(1);
    expect(both.stderr).toContain("the driver default:taken-driver exists");
    expect(both.stderr).toContain("The driver beside-driver failed: exit code 4");
  });

  test("ends at an interrupt between two runs, and reports how to continue", async () => {
    const spec = ["  restartPolicy: {type: OnFailure, onFailureRetries: 1, onFailureRetryInterval: 600}"];
    const file = applicationFile({ name: "waits", driver: "exit=3", spec });
    const { child, ended } = start("firesteel", ["apply", "-f", file, ...onCluster, "--watch"], { env });
    let written = "";
    child.stderr.on("data", (chunk) => {
      const before = written;
      written += chunk;
      if (!before.includes("next decision in") && written.includes("next decision in")) child.kill("SIGINT");
    });
    const { exit, stderr } = await ended;
    expect(exit).toBe(130);
    expect(stderr).toContain(`Interrupted; waits is FAILING.\nHint: Continue: firesteel apply -f ${file} --watch\n`);
  });

  test("starts the runs of a schedule with --watch until an interrupt, and keeps as many as the limit says", async () => {
    const schedule = write("often", [
      "apiVersion: sparkoperator.k8s.io/v1beta2",
      "kind: ScheduledSparkApplication",
      "metadata: {name: often, namespace: default}",
      "spec:",
      '  schedule: "@every 1s"',
      "  concurrencyPolicy: Forbid",
      "  template:",
      "    {type: Scala, sparkVersion: 4.3.0, image: 'spark:4.3.0', mainClass: M, mainApplicationFile: 'local:///a.jar', executor: {},",
      "     driver: {serviceAccount: spark, annotations: {firesteel.dev/fake: exit=0}}}",
    ]);
    const { child, ended } = start("firesteel", ["apply", "-f", schedule, ...onCluster, "--watch"], { env });
    await new Promise<void>((resolve) => {
      let seen = "";
      child.stderr.on("data", (chunk: Buffer) => {
        seen += chunk.toString("utf8");
        // The first run is deleted when a third one starts, after the second has ended.
        if (/often: deleting the run often-\d{19}/.test(seen)) resolve();
      });
    });
    child.kill("SIGINT");
    const { exit, stderr } = await ended;
    expect(exit).toBe(130);
    expect(stderr).toMatch(/starting the run often-\d{19}\n/);
    expect(stderr).toMatch(/often-\d{19} is COMPLETED, attempt 1\n/);
    const { stdout } = await firesteel("delete", "-f", schedule, ...onCluster);
    expect(stdout).toMatch(/: (1 run|2 runs) of often deleted\n$/);
  });

  test("rejects a schedule without --watch, and unknown clusters", async () => {
    const text = applicationFile({ name: "nightly" });
    const schedule = write("schedule", [
      "apiVersion: sparkoperator.k8s.io/v1beta2",
      "kind: ScheduledSparkApplication",
      "metadata: {name: nightly}",
      "spec:",
      '  schedule: "@daily"',
      "  template: {type: Scala, sparkVersion: 4.3.0, mainApplicationFile: local:///a.jar, driver: {}, executor: {}}",
    ]);
    const { exit, stderr } = await firesteel("apply", "-f", schedule, ...onCluster);
    expect([exit, stderr.includes("Use apply --watch")]).toEqual([1, true]);
    const cluster = await firesteel("apply", "-f", text, "--cluster", "other");
    expect(cluster.stderr).toContain("embedded or embedded/NAME; for another cluster, use --master or --context");
    const both = await firesteel("apply", "-f", text, "--wait", "--watch");
    expect(both.stderr).toContain("--wait and --watch exclude each other.");
  });
});
