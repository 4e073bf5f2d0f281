#!/usr/bin/env node
/** Runs the demonstration as a program of its own, with the flags of the programs' first line, and ends as it ends. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/bin/firesteel.cjs", import.meta.url));
const words = ["--use-openssl-ca", program, "demo", ...process.argv.slice(2)];
const child = spawn(process.execPath, words, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // A terminal sends SIGINT to both of us; the child, which has pods to end, decides when it is over.
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", ({ message }) => {
  console.error(message);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
