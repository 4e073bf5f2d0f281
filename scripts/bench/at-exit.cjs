/**
 * Preloaded into a program: when it ends, notes as JSON in a file its peak memory, its processor time, the modules of Node and the parts
 * of ours that it loaded.
 */
const fs = require("node:fs");
const { basename, dirname } = require("node:path");

const before = new Set(process.moduleLoadList);
const parts = {};
const { readFileSync } = fs;
fs.readFileSync = (path, ...options) => {
  const content = readFileSync(path, ...options);
  if (basename(dirname(String(path))) === "parts" && path.endsWith(".cjs")) parts[basename(path)] = content.length;
  return content;
};

process.once("exit", () => {
  const modules = process.moduleLoadList
    .filter((name) => name.startsWith("NativeModule ") && !name.includes("internal/") && !before.has(name))
    .map((name) => name.slice("NativeModule ".length));
  const { maxRSS: peakMemoryKiB, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpuMs = (userCPUTime + systemCPUTime) / 1000;
  fs.writeFileSync(process.env.FIRESTEEL_AT_EXIT, JSON.stringify({ peakMemoryKiB, cpuMs, modules, parts }));
});
