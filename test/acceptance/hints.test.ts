import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type RunningProgram, root, run, start, temporaryDirectory, withSpark } from "./programs.ts";

const state = mkdtempSync(join(tmpdir(), "firesteel-state-"));
const env = withSpark({ FIRESTEEL_STATE: state });

/** Manages the cluster of these tests, whose containers are simulated. */
function cluster(...args: readonly string[]) {
  const program = join(root, "dist", "bin", "firesteel.cjs");
  return spawnSync(process.execPath, [program, "cluster", ...args], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
}

beforeAll(() => {
  expect(cluster("start", "--sandbox", "fake")).toMatchObject({ status: 0 });
});
afterAll(() => {
  cluster("delete");
  rmSync(state, { recursive: true, force: true });
});

/** Submits a driver that does what the script says. */
function submit(script: string, environment = env) {
  const driver = ["--conf", `spark.kubernetes.driver.annotation.firesteel.dev/fake=${script}`];
  const master = ["--master", "k8s://embedded", "--deploy-mode", "cluster"];
  return start("spark-submit", [...master, ...driver, "local:///a.py"], { env: environment });
}

/** Waits for a text on stderr. */
function shows(child: RunningProgram["child"], text: string): Promise<void> {
  return new Promise((resolve) => {
    child.stderr.on("data", (chunk) => {
      if (String(chunk).includes(text)) resolve();
    });
  });
}

/** Returns the commands of hints, without the program's name. */
function commandsIn(stderr: string): readonly (readonly string[])[] {
  return [...stderr.matchAll(/^Hint: .*: firesteel (.*)$/gm)].map(([, command = ""]) => command.split(" "));
}

test("the commands after an interrupt work as typed, without KUBECONFIG", async () => {
  const { child, ended } = submit("log=hello,after=4000,exit=0");
  await shows(child, "phase: Running");
  child.kill("SIGINT");
  const { exit, stderr } = await ended;
  expect(exit).toBe(130);
  const [wait = [], log = [], diagnosis = [], deletion = [], ...others] = commandsIn(stderr);
  expect([wait[0], log[0], diagnosis[0], deletion[0], others]).toEqual(["attach", "logs", "diagnose", "kill", []]);
  expect(stderr).not.toContain("kubectl");
  expect(await run("firesteel", wait, { env })).toMatchObject({ exit: 0 });
  expect(await run("firesteel", log, { env })).toMatchObject({ exit: 0, stdout: "hello\n" });
  expect(await run("firesteel", diagnosis, { env })).toMatchObject({ exit: 0 });
  const line = ["completion", "suggest", "fish", "firesteel", "logs", "--master", "k8s://embedded", ""];
  expect((await run("firesteel", line, { env })).stdout).toMatch(/^full\na-py-\S+-driver\ta(?:-py|\.py)?, [a-z]+$/m);
  expect(await run("firesteel", deletion, { env })).toMatchObject({ exit: 0 });
});

test("submission and attach report at once that the cluster was killed, and the named command starts it again", async () => {
  const own = withSpark({ FIRESTEEL_STATE: temporaryDirectory() });
  const firesteel = (...args: readonly string[]) => run("firesteel", args, { env: own });
  onTestFinished(async () => {
    await firesteel("cluster", "delete");
  });
  const started = await firesteel("cluster", "start", "--sandbox", "fake", "--json");
  expect(started).toMatchObject({ exit: 0 });
  const { pid }: { pid: number } = JSON.parse(started.stdout);
  const submission = submit("log=hello,after=600000,exit=0", own);
  await shows(submission.child, "phase: Running");
  const attached = start("firesteel", ["attach", "a-py*", "--master", "k8s://embedded"], { env: own });
  await shows(attached.child, "phase: Running");
  process.kill(pid, "SIGKILL");
  const outcomes = await Promise.all([submission.ended, attached.ended]);
  const restarts = outcomes.map(({ exit, stderr }) => {
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr: expect.stringMatching(/Error: The cluster "default" is not running\.\nHint: [^\n]*\n$/),
    });
    expect(stderr).not.toMatch(/keeps running|kubectl/);
    return commandsIn(stderr);
  });
  expect(restarts).toEqual([[["cluster", "start"]], [["cluster", "start"]]]);
  expect(await firesteel("cluster", "start")).toMatchObject({ exit: 0 });
});

test("the log command after a failure prints the driver's log", async () => {
  const { exit, stderr } = await submit("log=hello,after=1000,exit=3").ended;
  expect({ exit, stderr }).toMatchObject({ exit: 3, stderr: expect.stringContaining("Read its log: firesteel") });
  const [log = []] = commandsIn(stderr);
  expect(await run("firesteel", log, { env })).toMatchObject({ exit: 0, stdout: "hello\n" });
});
