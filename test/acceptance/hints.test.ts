import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, run, start, withSpark } from "./programs.ts";

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
function submit(script: string, ...options: readonly string[]) {
  const driver = ["--conf", `spark.kubernetes.driver.annotation.firesteel.dev/fake=${script}`];
  const master = ["--master", "k8s://embedded", "--deploy-mode", "cluster"];
  return start("spark-submit", [...master, ...driver, ...options, "local:///a.py"], { env });
}

/** Returns the commands of hints, without the program's name. */
function commandsIn(stderr: string): readonly (readonly string[])[] {
  return [...stderr.matchAll(/^Hint: .*: firesteel (.*)$/gm)].map(([, command = ""]) => command.split(" "));
}

test("the commands after an interrupt work as typed, without KUBECONFIG", async () => {
  const { child, ended } = submit("log=hello,after=4000,exit=0");
  const running = new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk) => {
      if (String(chunk).includes("phase: Running")) resolve();
    });
  });
  await running;
  child.kill("SIGINT");
  const { exit, stderr } = await ended;
  expect(exit).toBe(130);
  const [wait = [], log = [], deletion = [], ...others] = commandsIn(stderr);
  expect([wait[0], log[0], deletion[0], others]).toEqual(["attach", "attach", "kill", []]);
  expect(stderr).not.toContain("kubectl");
  expect(await run("firesteel", wait, { env })).toMatchObject({ exit: 0 });
  expect(await run("firesteel", log, { env })).toMatchObject({ exit: 0, stdout: "hello\n" });
  expect(await run("firesteel", deletion, { env })).toMatchObject({ exit: 0 });
});
