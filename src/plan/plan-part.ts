/**
 * Computes a part of a plan from its input. `path` is the property of the plan that holds the result, such as `resources.cpuRequest`.
 * `explain` passes an implementation that records what each part reads.
 */
export type PlanPart<I> = <T>(path: string, compute: (input: I) => T) => T;

/** Computes parts without recording. */
export function unrecorded<I>(input: I): PlanPart<I> {
  return (_, compute) => compute(input);
}
