import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
// Inside node_modules, so that the packages it imports are found.
const folder = mkdtempSync(join(root, "node_modules", ".killed-cluster-"));
const program = join(folder, "program.mjs");

beforeAll(async () => {
  await build({
    entryPoints: [join(root, "test", "contract", "cluster-program.ts")],
    ...{ outfile: program, bundle: true, platform: "node", format: "esm", target: "node20.19" },
    ...{ packages: "external", logLevel: "warning" },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Processes with a word in their command line, this one and its children by name excepted. */
function processesWith(word: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.startsWith("sleep ") && line.includes(word) ? [line] : [];
      } catch {
        return [];
      }
    });
}

function memoryFolders(): string[] {
  return readdirSync("/dev/shm").filter((name) => name.startsWith("firesteel-"));
}

async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !holds(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return holds();
}

function firstWords(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8")));
    child.once("close", () => resolve(""));
  });
}

test.skipIf(process.platform !== "linux").each(["bwrap", "unshare", "process"])(
  "no process of a pod outlives a cluster that is killed, with the %s sandbox",
  async (sandbox) => {
    const directory = mkdtempSync(join(tmpdir(), "firesteel-killed-"));
    const word = `${80_000 + Math.floor(Math.random() * 1_000_000)}.${process.pid}`;
    const before = memoryFolders();
    const child = spawn(process.execPath, [program, sandbox, directory, word], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const args = await firstWords(child);
    if (args.startsWith("refused")) return;
    expect(args).toBe("started\n");
    const own = memoryFolders().filter((name) => !before.includes(name));
    expect(await until(() => processesWith(word).length === 3)).toBe(true);
    child.kill("SIGKILL");
    expect(await until(() => processesWith(word).length === 0)).toBe(true);
    expect(own).not.toEqual([]);
    expect(await until(() => !own.some((name) => memoryFolders().includes(name)))).toBe(true);
    rmSync(directory, { recursive: true, force: true });
  },
);
