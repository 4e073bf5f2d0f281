import type { TranslationInput } from "./translation.ts";

/** Returns the batch scheduler of an application, or the operator's default; an empty name is none. */
export function batchSchedulerName({ spec, options }: Pick<TranslationInput, "spec" | "options">): string | undefined {
  return spec.batchScheduler || options.defaultBatchScheduler || undefined;
}
