import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture/**/*.test.ts", "test/golden/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "peers",
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
          name: "whole",
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
