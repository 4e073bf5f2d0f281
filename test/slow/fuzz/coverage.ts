/** Global function that instrumented code calls with the number of a counter. */
export const reachFunction = "__reach";

/** Defines the global function. Must run before instrumented modules are loaded. */
export const coveragePrelude = `
const __reached = [];
const __isReached = new Uint8Array(2 ** 20);
globalThis.${reachFunction} = (counter) => {
  if (__isReached[counter] === 1) return;
  __isReached[counter] = 1;
  __reached.push(counter);
};
globalThis.__takeReached = () => __reached.splice(0);
`;

declare global {
  var __takeReached: () => readonly number[];
}

/** Takes the counters that were reached for the first time since the last call. */
export function takeReached(): readonly number[] {
  return globalThis.__takeReached();
}
