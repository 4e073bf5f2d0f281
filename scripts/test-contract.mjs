#!/usr/bin/env node
/** Holds the embedded API to its contract, and with it a cluster of yours: `npm run test:contract -- --kubeconfig FILE`. */
import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { kubeconfig: { type: "string" } },
  allowPositionals: true,
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const named =
  values.kubeconfig === undefined ? {} : { FIRESTEEL_CONTRACT_KUBECONFIG: resolve(values.kubeconfig) };
const tests = positionals.length > 0 ? positionals : ["test/contract/api.test.ts"];
const running = spawn(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "whole", ...tests],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...named } },
);
running.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
