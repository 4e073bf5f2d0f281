#!/usr/bin/env node
/** The contract suite; with `--kubeconfig FILE` also against the current context's cluster. Other words go to vitest. */
import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({
  options: { kubeconfig: { type: "string" } },
  allowPositionals: true,
});
const env = { ...process.env };
if (values.kubeconfig !== undefined) env.FIRESTEEL_CONTRACT_KUBECONFIG = resolve(values.kubeconfig);
const words = ["run", "--project", "whole", "test/contract", ...positionals];
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, ...words], { cwd: root, env, stdio: "inherit" });
process.exitCode = status ?? 1;
