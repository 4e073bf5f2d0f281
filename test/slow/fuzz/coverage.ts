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
globalThis.__resetReached = () => {
  __reached.length = 0;
  __isReached.fill(0);
};
`;

declare global {
  var __takeReached: () => readonly number[];
  var __resetReached: () => void;
}

/** Takes the counters that were reached for the first time since the last call. */
export function takeReached(): readonly number[] {
  return globalThis.__takeReached();
}

/** Forgets which counters were reached. */
export function resetReached(): void {
  globalThis.__resetReached();
}
