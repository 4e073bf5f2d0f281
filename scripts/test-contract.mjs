#!/usr/bin/env node
/**
 * Holds the embedded cluster to its contract, and with it a cluster of yours:
 * `npm run test:contract -- --kubeconfig FILE [--image IMAGE]`.
 */
import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { kubeconfig: { type: "string" }, image: { type: "string" } },
  allowPositionals: true,
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { kubeconfig, image } = values;
const named = {
  ...(kubeconfig === undefined ? {} : { FIRESTEEL_CONTRACT_KUBECONFIG: resolve(kubeconfig) }),
  ...(image === undefined ? {} : { FIRESTEEL_CONTRACT_IMAGE: image }),
};
// What pods do is only for clusters that have an image for them.
const tests = ["api", ...(kubeconfig === undefined || image !== undefined ? ["pods"] : [])];
const files = positionals.length > 0 ? positionals : tests.map((name) => `test/contract/${name}.test.ts`);
const running = spawn(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "integration", ...files],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...named } },
);
running.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
