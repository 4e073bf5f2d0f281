/**
 * Preloaded into a program. At exit, writes JSON to the file FIRESTEEL_AT_EXIT: peak memory, processor time, and the loaded modules of
 * Node and chunks of Firesteel.
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
