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
        },
      },
      {
        test: {
          name: "whole",
          include: ["test/contract/**/*.test.ts", "test/acceptance/**/*.test.ts"],
          pool: "forks",
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
  },
});
