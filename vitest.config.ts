import { defineConfig } from "vitest/config";

const inThreads = {
  // Far more than any test takes, even on a busy machine.
  testTimeout: 60_000,
  pool: "threads",
  isolate: false,
  // Some tests wait for sockets and programs.
  maxWorkers: 2,
  sequence: { groupOrder: 0 },
} as const;

/** Tests that keep a machine with two cores busy: Spark, images, programs of others. */
const oneFileAtATime = {
  pool: "forks" as const,
  globalSetup: ["./test/temporary-directory.ts"],
  fileParallelism: false,
  sequence: { groupOrder: 3 },
  testTimeout: 600_000,
  hookTimeout: 300_000,
};

const withSpark = {
  ...oneFileAtATime,
  globalSetup: ["./test/temporary-directory.ts", "./test/staging/s3/fetch-swift.ts"],
  sequence: { groupOrder: 2 },
  testTimeout: 300_000,
};

export default defineConfig({
  test: {
    tags: [{ name: "long", description: "Many, large or hostile inputs: not part of the quick tests." }],
    experimental: { fsModuleCache: true },
    projects: [
      { test: { ...inThreads, name: "unit", include: ["src/**/*.test.ts"] } },
      { test: { ...inThreads, name: "golden", include: ["test/golden/**/*.test.ts"] } },
      { test: { ...inThreads, name: "architecture", include: ["test/architecture/**/*.test.ts"] } },
      {
        test: {
          ...oneFileAtATime,
          name: "peers",
          // Third-party programs, and servers that provide them, fail now and then. The closing lines count the retries and limit them.
          retry: 2,
          include: ["test/peers/**/*.test.ts"],
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
      { test: { ...oneFileAtATime, name: "slow", include: ["test/slow/**/*.test.ts"] } },
      { test: { ...oneFileAtATime, name: "images", include: ["test/images/**/*.test.ts"] } },
      { test: { ...oneFileAtATime, name: "real", include: ["test/real/**/*.test.ts"], hookTimeout: 120_000 } },
      {
        test: {
          name: "integration",
          include: ["test/contract/**/*.test.ts", "test/staging/**/*.test.ts", "test/acceptance/**/*.test.ts"],
          pool: "forks",
          globalSetup: ["./test/temporary-directory.ts", "./test/staging/s3/fetch-swift.ts"],
          // The tests mostly wait for programs that they start.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      { test: { ...withSpark, name: "spark", include: ["test/spark/**/*.test.ts"] } },
      { test: { ...withSpark, name: "guides", include: ["test/guides/**/*.test.ts"] } },
    ],
    reporters: ["default", "./test/closing-lines-reporter.ts"],
  },
});
