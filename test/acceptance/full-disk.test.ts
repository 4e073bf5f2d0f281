import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

const args = [
  ...["--master", "k8s://http://h:1", "--deploy-mode", "cluster", "--class", "Main"],
  ...["--conf", "spark.kubernetes.container.image=spark", "local:///app.jar"],
];

/** Writes to `/dev/full` fail, as on a full disk. */
function render(outputs: { readonly stdout?: "/dev/full"; readonly stderr?: "/dev/full" }) {
  const open = (path: string | undefined) => (path === undefined ? "pipe" : openSync(path, "w"));
  return spawnSync(process.execPath, [join(root, "dist", "bin", "firesteel.cjs"), "render", ...args], {
    env: { HOME: temporaryDirectory() },
    stdio: ["ignore", open(outputs.stdout), open(outputs.stderr)],
    encoding: "utf8",
  });
}

test("a failed write to standard output is reported and fails the program", () => {
  const { status, stderr } = render({ stdout: "/dev/full" });
  expect(status).toBe(1);
  expect(stderr).toContain("Error: The standard output could not be written: ENOSPC: no space left on device, write\n");
});

test("a failed write to stderr does not stop the program", () => {
  expect(render({}).stderr).toContain("Kubernetes master URL uses HTTP instead of HTTPS.");
  const { status, stdout } = render({ stderr: "/dev/full" });
  expect(status).toBe(0);
  expect(stdout).toContain("kind: Service");
});
