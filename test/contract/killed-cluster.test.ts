import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sandboxRequirements } from "../requirements.ts";
import { requires } from "../test-with.ts";
import { type BuiltProgram, buildProgram } from "./built-program.ts";

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram("cluster-program.ts");
});
afterAll(() => program.remove());

/** Lists the process IDs of `sleep` processes with a marker in their command line. */
function processesWith(marker: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.startsWith("sleep ") && line.includes(marker) ? [name] : [];
      } catch {
        return [];
      }
    });
}

/** Lists the files that a process has open. */
function openFiles(id: string): string[] {
  return readdirSync(`/proc/${id}/fd`).map((name) => readlinkSync(`/proc/${id}/fd/${name}`));
}

function memoryDirectories(): string[] {
  return readdirSync("/dev/shm").filter((name) => name.startsWith("firesteel-"));
}

async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !holds(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return holds();
}

function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8")));
    child.once("close", () => resolve(""));
  });
}

test.for(["bwrap", "unshare", "process"] as const)(
  "no process of a pod outlives a cluster that is killed, with the %s sandbox",
  async (sandbox, context) => {
    requires("Linux")(context);
    requires(sandboxRequirements[sandbox])(context);
    const directory = mkdtempSync(join(tmpdir(), "firesteel-killed-"));
    const marker = `${80_000 + Math.floor(Math.random() * 1_000_000)}.${process.pid}`;
    const before = memoryDirectories();
    const lock = openSync(join(directory, "lock"), "w");
    const child = spawn(process.execPath, [program.path, sandbox, directory, marker], {
      // As of a shell that holds a lock. Node closes the first 16 descriptors that it inherits.
      stdio: ["ignore", "pipe", "inherit", ...Array<"ignore">(37).fill("ignore"), lock],
    });
    closeSync(lock);
    const args = await firstOutput(child);
    expect(args).toBe("started\n");
    const own = memoryDirectories().filter((name) => !before.includes(name));
    expect(await until(() => processesWith(marker).length === 3)).toBe(true);
    expect(openFiles(String(child.pid))).toContain(join(directory, "lock"));
    for (const id of processesWith(marker)) {
      const files = openFiles(id).filter((file) => file !== "/dev/null");
      expect(files).toEqual([
        expect.stringMatching(/\/stdout \(deleted\)$/),
        expect.stringMatching(/\/stderr \(deleted\)$/),
      ]);
    }
    child.kill("SIGKILL");
    expect(await until(() => processesWith(marker).length === 0)).toBe(true);
    expect(own).not.toEqual([]);
    expect(await until(() => !own.some((name) => memoryDirectories().includes(name)))).toBe(true);
    rmSync(directory, { recursive: true, force: true });
  },
);
