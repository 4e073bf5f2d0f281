/** Maximum number of attempts: enough for inputs of some kilobytes, and a few seconds for a slow parser. */
const maxAttempts = 3000;

/** Removes parts of an input, first large ones and then small ones, as long as a check accepts the rest. */
export async function minimize(input: Buffer, isSame: (shorter: Buffer) => Promise<boolean>): Promise<Buffer> {
  let smallest = input;
  let attempts = 0;
  for (let size = input.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < smallest.length && attempts < maxAttempts; attempts += 1) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (await isSame(shorter)) smallest = shorter;
      else at += size;
    }
  }
  return smallest;
}
