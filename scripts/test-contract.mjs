#!/usr/bin/env node
/**
 * Runs the contract tests against the embedded cluster and, if specified, another cluster:
 * `npm run test:contract -- [--kubeconfig FILE [--image IMAGE]] [TEST-FILE…]`.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { runVitest } from "./run-vitest.mjs";

const { values, positionals } = parseArgs({
  options: { kubeconfig: { type: "string" }, image: { type: "string" } },
  allowPositionals: true,
});
const { kubeconfig, image } = values;
// The tests of pods need an image that the cluster has.
const tests = ["api", ...(kubeconfig === undefined || image !== undefined ? ["pods"] : [])];
const files = positionals.length > 0 ? positionals : tests.map((name) => `test/contract/${name}/`);
runVitest("integration", files, {
  ...(kubeconfig === undefined ? {} : { FIRESTEEL_CONTRACT_KUBECONFIG: resolve(kubeconfig) }),
  ...(image === undefined ? {} : { FIRESTEEL_CONTRACT_IMAGE: image }),
});
