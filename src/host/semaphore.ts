/** Lets so many work at once; the others wait in the order in which they came. */
export interface Turns {
  readonly take: () => Promise<void>;
  readonly leave: () => void;
  /** Whether somebody waits. */
  readonly isWanted: () => boolean;
}

/** Turns that nobody has taken. */
export function turns(atOnce: number): Turns {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
    isWanted: () => waiting.length > 0,
  };
}
