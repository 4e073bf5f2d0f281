import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives a run of tests a folder of its own for temporary files, which goes with it: a test that is killed cannot clean up. Those of
 * runs that were killed themselves go with the next one.
 */
export function setup(): void {
  const parent = tmpdir();
  for (const name of readdirSync(parent)) {
    const pid = Number(/^firesteel-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid)) remove(join(parent, name));
  }
  folder = mkdtempSync(join(parent, `firesteel-run-${process.pid}-`));
  // Pods run as other users, who need to find their way through.
  chmodSync(folder, 0o711);
  process.env["TMPDIR"] = folder;
}

export function teardown(): void {
  remove(folder);
}

let folder = "";

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Something in it is still mounted; the next run tries again.
  }
}
