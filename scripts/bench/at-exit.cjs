/** Preloaded into a program: when it ends, notes its peak memory and the modules of Node it loaded, as JSON in a file. */
const { writeFileSync } = require("node:fs");

const before = new Set(process.moduleLoadList);
process.once("exit", () => {
  const modules = process.moduleLoadList
    .filter((name) => name.startsWith("NativeModule ") && !name.includes("internal/") && !before.has(name))
    .map((name) => name.slice("NativeModule ".length));
  const peakMemoryKiB = process.resourceUsage().maxRSS;
  writeFileSync(process.env.FIRESTEEL_AT_EXIT, JSON.stringify({ peakMemoryKiB, modules }));
});
