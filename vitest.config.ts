import { defineConfig } from "vitest/config";

/**
 * Number of retries: 2 in CI, where a busy machine or a rare random input can fail a test; the closing lines name each retried test.
 * Locally none, so that a developer sees each first failure.
 */
const retry = process.env["CI"] ? 2 : 0;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          retry,
          // Far more than any test takes, even on a busy machine.
          testTimeout: 60_000,
          include: ["src/**/*.test.ts", "test/architecture/**/*.test.ts", "test/golden/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "peers",
          retry,
          include: ["test/peers/**/*.test.ts"],
          pool: "forks",
          globalSetup: "./test/temporary-directory.ts",
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 900_000,
        },
      },
      {
        test: {
          name: "slow",
          retry,
          include: ["test/slow/**/*.test.ts"],
          pool: "forks",
          globalSetup: "./test/temporary-directory.ts",
          // Each test runs Spark several times.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "real",
          retry,
          include: ["test/real/**/*.test.ts"],
          pool: "forks",
          globalSetup: "./test/temporary-directory.ts",
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "integration",
          retry,
          include: ["contract", "acceptance", "staging"].map((directory) => `test/${directory}/**/*.test.ts`),
          pool: "forks",
          globalSetup: "./test/temporary-directory.ts",
          // Some tests run Spark, which keeps a machine with two cores busy.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
  },
});
