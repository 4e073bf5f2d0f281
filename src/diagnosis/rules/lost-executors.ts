import { findLine } from "../evidence.ts";
import type { PodView } from "../pod-view.ts";
import { programLines } from "../program-lines.ts";
import type { View } from "../view.ts";

/**
 * Exceptions of jobs whose executor died: its Python workers, its shuffle files and its tasks die with it. Without a dead executor, they
 * have other causes.
 *
 * Source: Spark PythonRunner, MapOutputTracker, ShuffleBlockFetcherIterator, TaskSchedulerImpl.
 */
export const ofLostExecutor =
  /ExecutorLostFailure|Python worker exited unexpectedly|FetchFailed(?:Exception)?\b|MetadataFetchFailed|SparkException: Block \S+ is not available|Failed to get block|Could not find CoarseGrainedScheduler/;

/** Exceptions that are consequences of failed executors, which have their own rules. */
export const ofExecutors =
  /ExecutorLostFailure|while waiting for backend|Max number of executor failures|executor \S+ exited|External scheduler cannot|cancelled because SparkContext was shut down/;

/** Exceptions of jobs that were aborted because executors or their Python workers ended, whatever the reason. */
export const lostWork =
  /ExecutorLostFailure|Python worker exited unexpectedly|FetchFailed(?:Exception)?\b|MetadataFetchFailed|Missing an output location for shuffle|executor \S+\): (?:java\.lang\.)?OutOfMemoryError/;

/** Returns the executors that were killed at their memory limit. */
export function oomKilledExecutors({ executors }: View): readonly PodView[] {
  return executors.filter(({ main }) => main.end?.reason === "OOMKilled");
}

/**
 * Finds the driver's report of an executor that was killed at its memory limit, whose pod may be gone.
 *
 * Source: Spark ExecutorPodsLifecycleManager.
 */
export function reportedOom({ driver, executors }: View) {
  // The driver guesses from the exit status, and the status of a known pod is decisive.
  const isOther = executors.some(({ main }) => main.end?.exitCode === 137 && main.end.reason !== "OOMKilled");
  if (driver === undefined || isOther) return undefined;
  return findLine(
    programLines(driver.main.log),
    /exit code 137\(SIGKILL, possible container OOM\)|termination reason: OOMKilled/,
  );
}

/** Returns whether an executor was killed at its memory limit. */
export function hasOomKilledExecutor(view: View): boolean {
  return oomKilledExecutors(view).length > 0 || reportedOom(view) !== undefined;
}
