/** Returns whether a pod in this phase has ended: its containers never run again. */
export function isFinalPhase(phase: unknown): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
