import { statSync } from "node:fs";
import { join } from "node:path";

/** Largest sum of the chunks that a command line loads, in bytes; 150 KiB for a submission. `test/acceptance/start-up.test.ts` measures the same at run time. */
const budgets = [
  { commandLine: "--help", chunks: ["base", "usage"], maxBytes: 36_700 },
  { commandLine: "an unknown option", chunks: ["base", "usage-errors"], maxBytes: 36_700 },
  { commandLine: "a submission", chunks: ["base", "resolution", "submission"], maxBytes: 153_600 },
];

/** @throws Error when the chunks of a command line, with their static imports, exceed its budget. */
export function checkSizes(bundled, bin) {
  const chunkOf = new Map(bundled.map((chunk) => [chunk.fileName, chunk]));
  for (const { commandLine, chunks, maxBytes } of budgets) {
    const loaded = new Set();
    const add = (fileName) => {
      const chunk = chunkOf.get(fileName);
      if (chunk === undefined || loaded.has(chunk)) return;
      loaded.add(chunk);
      chunk.imports.forEach(add);
    };
    chunks.forEach((name) => {
      add(`parts/${name}.cjs`);
    });
    const sizes = [...loaded].map(({ fileName }) => [fileName, statSync(join(bin, fileName)).size]);
    const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
    if (bytes <= maxBytes) continue;
    const list = sizes.map(([fileName, size]) => `${fileName} ${size}`).join(", ");
    throw new Error(`${commandLine} loads ${bytes} bytes of chunks, more than ${maxBytes}: ${list}`);
  }
}
