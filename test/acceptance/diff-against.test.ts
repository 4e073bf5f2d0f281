import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Outcome, root, run } from "./programs.ts";

const state = mkdtempSync(join(tmpdir(), "firesteel-state-"));

/** Runs `firesteel` until it exits, with a state directory of its own. */
function firesteel(...args: string[]): Promise<Outcome> {
  return run("firesteel", args, { env: { FIRESTEEL_STATE: state } });
}

afterAll(() => {
  const env = { ...process.env, FIRESTEEL_STATE: state };
  spawnSync(process.execPath, [join(root, "dist", "bin", "firesteel.cjs"), "cluster", "stop"], { env });
  rmSync(state, { recursive: true, force: true });
});

const args = [
  ...["--master", "k8s://embedded", "--deploy-mode", "cluster", "--class", "Main"],
  ...["--conf", "spark.kubernetes.container.image=img:1", "--conf", "spark.driver.memory=2g"],
  ...["--conf", "spark.kubernetes.driver.request.cores=1000m"],
  ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false"],
];

test("a driver differs from other arguments, but not from those that created it", async () => {
  expect((await firesteel("cluster", "start", "--api-only")).exit).toBe(0);
  const { stderr: output } = await firesteel("submit", ...args, "local:///a.jar");
  const driver = /submission ID (\S+) into Kubernetes/.exec(output)?.[1] ?? output;

  const same = await firesteel("diff", "--against", driver, ...args, "local:///a.jar");
  expect(same).toEqual({ exit: 0, stdout: "", stderr: "" });

  const other = await firesteel("diff", "--against", driver, ...args, "local:///b.jar", "1");
  expect(other.exit).toBe(1);
  expect(other.stdout).toContain(".args[5]: local:///a.jar → local:///b.jar\n");
  expect(other.stdout).toContain("[spark.jars]: local:///a.jar → local:///b.jar\n");

  const missing = await firesteel("diff", "--against", "default:none", ...args, "local:///a.jar");
  expect([missing.exit, missing.stderr.includes("none")]).toEqual([2, true]);
});
