import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { Termination, TerminationReason } from "../../submit-outcome.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";

/** Termination of one driver. */
interface DriverTerminator {
  /** Deletes the driver once. Without a run timeout, does not delete a driver that has started. */
  readonly terminate: (why: TerminationReason) => Promise<void>;
  /** Waits for the response to the deletion; the watch can report the end before it arrives. */
  readonly settled: () => Promise<void>;
  readonly outcome: () => Termination | undefined;
  /** Aborts when the wait for the driver's end must stop: the deletion was rejected, or took more than 60 s. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

interface TerminatorState extends WatchedPod {
  readonly controller: AbortController;
  outcome: Termination | undefined;
  /** The deletion in progress, or the completed one. */
  deletion: Promise<void> | undefined;
  cancelTimeout: () => void;
}

// Longer than the usual grace period of a driver, so that the end of its log arrives.
const deleteTimeoutMs = 60_000;
const maxAttempts = 5;
const logger = "Client";

/** Creates a terminator that has not deleted anything yet. */
export function driverTerminator(driver: WatchedPod): DriverTerminator {
  const controller = new AbortController();
  const state: TerminatorState = {
    ...{ ...driver, controller, outcome: undefined, deletion: undefined },
    cancelTimeout() {},
  };
  return {
    terminate(why) {
      state.deletion ??= terminate(state, why);
      return state.deletion;
    },
    settled: async () => state.deletion,
    outcome: () => state.outcome,
    signal: controller.signal,
    stop: () => state.cancelTimeout(),
  };
}

async function terminate(state: TerminatorState, why: TerminationReason): Promise<void> {
  const { clock, controller, log } = state;
  try {
    const result = await deleteDriver(state, { evenIfStarted: why.kind === "runTimeout" });
    if (result === "started") {
      state.deletion = undefined;
      return;
    }
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    state.outcome = { why, driver: "running", left: error.issues };
    controller.abort();
    return;
  }
  state.outcome = { why, driver: "deleted", left: [] };
  log("WARN", logger, `Deleted the driver: ${reasonTexts[why.kind]}.`);
  state.cancelTimeout = clock.after(deleteTimeoutMs, () => controller.abort());
}

const reasonTexts = {
  startTimeout: "it did not start in time",
  runTimeout: "it did not end in time",
  unrecoverable: "it cannot start without a change",
} as const;

/**
 * Deletes the driver in its last known version. If the driver has changed meanwhile, checks its new state first: it may have
 * started.
 *
 * @throws SubmitError if the API rejects the deletion
 */
async function deleteDriver(
  { client, container, latest }: WatchedPod,
  { evenIfStarted }: { evenIfStarted: boolean },
): Promise<"deleted" | "started"> {
  const type = resourceTypes.pod;
  for (let attempt = 1; ; attempt += 1) {
    const { namespace = "", name = "", uid, resourceVersion } = latest.get().metadata ?? {};
    const target = { type, namespace, name, ...(uid !== undefined && { uid }) };
    if (!evenIfStarted && hasStarted(latest.get(), container)) return "started";
    const isExact = !evenIfStarted && (resourceVersion ?? "") !== "" && attempt < maxAttempts;
    try {
      await client.delete({ ...target, ...(isExact && resourceVersion !== undefined && { resourceVersion }) });
      return "deleted";
    } catch (error) {
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT") || attempt > maxAttempts) throw error;
      const now = await client.get<Pod>(target).catch(() => undefined);
      // A later pod of the same name belongs to another submission.
      if (now === undefined ? !isExact : now.metadata?.uid !== uid) return "deleted";
      if (now !== undefined) latest.set(now);
    }
  }
}
