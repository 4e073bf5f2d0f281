import type { FuzzTarget } from "../target.ts";

/** Buffers that are not collected. */
const kept: Buffer[] = [];

/** A target with every kind of defect, for the test of the fuzzer. It runs only if it is named. */
export const selfTest: FuzzTarget = {
  name: "self-test",
  run(input) {
    const text = input.toString();
    if (text.startsWith("error")) throw new TypeError("A defect.");
    if (text.startsWith("slow")) for (;;);
    if (text.startsWith("memory")) kept.push(Buffer.alloc(300 * 2 ** 20, 1));
    if (text.startsWith("heap")) return Array.from({ length: 60 }, () => new Array(1_000_000).fill(0.5));
    if (text.startsWith("wait")) return new Promise(() => undefined);
    if (text.startsWith("later")) setImmediate(() => Promise.reject(new Error("Not awaited.")));
    return new Promise((done) => setImmediate(done));
  },
};
