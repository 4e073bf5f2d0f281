import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Runs the tests of a project, all or some files, with additional variables. Ends this process with their exit code. */
export function runVitest(project, files, env) {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", project, ...files];
  const cwd = dirname(dirname(fileURLToPath(import.meta.url)));
  spawn(process.execPath, args, { cwd, stdio: "inherit", env: { ...process.env, ...env } }).on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
