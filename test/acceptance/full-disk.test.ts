import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

const args = [
  ...["--master", "k8s://http://h:1", "--deploy-mode", "cluster", "--class", "Main"],
  ...["--conf", "spark.kubernetes.container.image=spark", "local:///app.jar"],
];

/** Every write to `/dev/full` fails, as on a disk without space. */
function render(outputs: { readonly stdout?: "/dev/full"; readonly stderr?: "/dev/full" }) {
  const open = (path: string | undefined) => (path === undefined ? "pipe" : openSync(path, "w"));
  return spawnSync(process.execPath, [join(root, "dist", "bin", "firesteel.cjs"), "render", ...args], {
    env: { HOME: temporaryDirectory() },
    stdio: ["ignore", open(outputs.stdout), open(outputs.stderr)],
    encoding: "utf8",
  });
}

test("what a full disk does not take of the standard output is a failure, and told", () => {
  const { status, stderr } = render({ stdout: "/dev/full" });
  expect(status).toBe(1);
  expect(stderr).toContain(
    "Error: The standard output could not be written: ENOSPC: no space left on device, write\n",
  );
});

test("what cannot be told on stderr stops nothing", () => {
  expect(render({}).stderr).toContain("Kubernetes master URL uses HTTP instead of HTTPS.");
  const { status, stdout } = render({ stderr: "/dev/full" });
  expect(status).toBe(0);
  expect(stdout).toContain("kind: Service");
});
