import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Creates the temporary directory of this test run and sets TMPDIR to it. The run removes it, because a killed test cannot clean up.
 * Also removes the directories of runs that were killed.
 */
export function setup(): void {
  const parent = tmpdir();
  for (const name of readdirSync(parent)) {
    const pid = Number(/^firesteel-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid)) remove(join(parent, name));
  }
  directory = mkdtempSync(join(parent, `firesteel-run-${process.pid}-`));
  // Pods run as other users, which need to pass through this directory.
  chmodSync(directory, 0o711);
  process.env["TMPDIR"] = directory;
}

export function teardown(): void {
  remove(directory);
}

let directory = "";

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
