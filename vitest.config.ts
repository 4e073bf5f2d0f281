import { defineConfig } from "vitest/config";

/**
 * A test may lose a race on a machine that others load, or draw a rare input: where nobody is there to look it gets two more
 * tries, and the closing lines name it. A developer sees each first failure.
 */
const retry = process.env["CI"] ? 2 : 0;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          retry,
          // Far more than any takes, even where others keep the machine busy.
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
          globalSetup: "./test/own-temporary-folder.ts",
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
          globalSetup: "./test/own-temporary-folder.ts",
          // Each runs Spark several times.
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
          globalSetup: "./test/own-temporary-folder.ts",
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
          include: ["contract", "acceptance", "staging"].map((folder) => `test/${folder}/**/*.test.ts`),
          pool: "forks",
          globalSetup: "./test/own-temporary-folder.ts",
          // Some run Spark, which is more than enough for a machine with two cores.
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
