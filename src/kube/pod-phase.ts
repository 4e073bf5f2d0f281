/** Whether a pod in this phase has ended for good: nothing in it runs again. */
export function isFinalPhase(phase: unknown): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
