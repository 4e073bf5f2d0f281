/** Stops a part of the cluster. */
export type StopPart = () => Promise<void> | void;

/** Stops parts in reverse order of their start, even if one fails. @throws the first error */
export async function stopParts(parts: StopPart[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of parts.splice(0).toReversed()) {
    try {
      await stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
