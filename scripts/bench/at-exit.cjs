/** Preloaded into a program: when it ends, notes its peak memory, its processor time and the modules of Node it loaded, as JSON in a file. */
const { writeFileSync } = require("node:fs");

const before = new Set(process.moduleLoadList);
process.once("exit", () => {
  const modules = process.moduleLoadList
    .filter((name) => name.startsWith("NativeModule ") && !name.includes("internal/") && !before.has(name))
    .map((name) => name.slice("NativeModule ".length));
  const { maxRSS: peakMemoryKiB, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpuMs = (userCPUTime + systemCPUTime) / 1000;
  writeFileSync(process.env.FIRESTEEL_AT_EXIT, JSON.stringify({ peakMemoryKiB, cpuMs, modules }));
});
